#pragma once

#include <cstddef>
#include <string>

namespace frontier {

/// Removes from a canonical URL the session ids that servers are known to write into URLs: the
/// parameters PHPSESSID, jsessionid, ASPSESSIONID..., sid, sessionid, session_id, zenid and osCsid
/// with a value that looks like one (16 letters and digits or more), CFID and CFTOKEN, and
/// ";jsessionid=..." at the end of a segment. Case does not matter. After Heritrix'
/// StripSessionIDs, StripSessionCFIDs and their kin; other names are learned
/// (frontier/host_traps.h).
///
/// `path_begin`: where the path begins in `url`. Cost: a look through path and query.
void DropSessionIds(std::size_t path_begin, std::string& url);

}  // namespace frontier
