#include "contentseen/verdict.h"

namespace contentseen {

std::string_view Name(Kind kind) {
  switch (kind) {
    case Kind::kNew:
      return "new";
    case Kind::kExactBytes:
      return "exact-bytes";
    case Kind::kExactText:
      return "exact-text";
    case Kind::kNear:
      return "near";
  }
  return "";
}

}  // namespace contentseen
