#pragma once

#include <type_traits>

namespace contentseen {

/// Calls a visitor, an object or a plain function, by way of a pointer to a pointer to it, so that
/// what calls it is no template. Whether it wants more: one that returns nothing always does.
///
///     auto* target = std::addressof(visit);
///     VisitAll(&target, &CallVisitor<std::remove_reference_t<Visit>, Fingerprint>);
template <class Visit, class... Values>
bool CallVisitor(void* target, Values... values) {
  Visit& visit = **static_cast<Visit**>(target);
  if constexpr (std::is_void_v<std::invoke_result_t<Visit&, Values...>>) {
    visit(values...);
    return true;
  } else {
    return static_cast<bool>(visit(values...));
  }
}

}  // namespace contentseen
