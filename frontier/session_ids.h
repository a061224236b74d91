#pragma once

#include <cstddef>
#include <string>

namespace frontier {

/// Removes from the query at the end of a canonical URL, whose `?` is url[mark], the session ids
/// that servers are known to write there: the parameters PHPSESSID, jsessionid, ASPSESSIONID...,
/// sid, sessionid, session_id, zenid and osCsid with a value that looks like one (16 letters and
/// digits or more), CFID and CFTOKEN. Without other parameters the `?` goes too. Case does not
/// matter. After Heritrix' StripSessionIDs, StripSessionCFIDs and their kin; other names are
/// learned (frontier/host_traps.h).
///
/// Cost: a look through the query.
void DropSessionIdsOfQuery(std::size_t mark, std::string& url);

/// Removes every ";jsessionid=..." from the segment of a path that is url.substr(begin).
/// Cost: a look through the segment.
void DropSessionIdsOfSegment(std::size_t begin, std::string& url);

}  // namespace frontier
