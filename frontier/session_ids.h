#pragma once

#include <cstddef>
#include <string>

namespace frontier {

/// Removes from the query at the end of a canonical URL, whose `?` is url[mark], the session ids
/// that servers are known to write there: the parameters PHPSESSID, jsessionid, ASPSESSIONID...,
/// zenid and osCsid with a value that looks like one (16 letters, digits and -_.!, or more, a
/// digit among them); sid, sessionid and session_id, which name other things, too, with one of
/// letters and digits alone that has both; CFID and CFTOKEN. Without other parameters the `?` goes
/// too. Case does not matter. After Heritrix' StripSessionIDs, StripSessionCFIDs and their kin;
/// other names are learned (frontier/host_traps.h).
///
/// Cost: a look through the query.
void DropSessionIdsOfQuery(std::size_t mark, std::string& url);

/// Removes every ";jsessionid=..." from the segment of a path that is url.substr(begin).
/// Cost: a look through the segment.
void DropSessionIdsOfSegment(std::size_t begin, std::string& url);

}  // namespace frontier
