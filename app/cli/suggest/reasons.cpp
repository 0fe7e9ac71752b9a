#include "app/cli/suggest/reasons.h"

#include "app/cli/terminal.h"

namespace commonplace::app {
namespace {

/// A smaller part of a score is no reason.
constexpr double kLeastOfName = 0.02;

}  // namespace

std::string why(const suggest::Reasons& reasons) {
  std::string text;
  for (const auto& each : reasons.words)
    text += (text.empty() ? "because of " : ", ") + each.word + " (" + fixed(100 * each.weight, 0) +
            ")";
  std::string like;
  for (const auto& each : reasons.known)
    like += (like.empty() ? "like " : ", ") + shorten(each.id, 40) + " (" +
            fixed(each.likeness, 2) + ")";
  std::string because = text + (text.empty() || like.empty() ? "" : "; ") + like;
  if (reasons.from_name > kLeastOfName)
    because += std::string(because.empty() ? "" : "; ") + "its name fits (" +
               fixed(reasons.from_name, 2) + ")";
  return because;
}

}  // namespace commonplace::app
