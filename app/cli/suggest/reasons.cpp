#include "app/cli/suggest/reasons.h"

#include "app/cli/terminal.h"

namespace commonplace::app {

std::string why(const suggest::Reasons& reasons) {
  std::string text;
  for (const auto& each : reasons.words)
    text += (text.empty() ? "because of " : ", ") + each.word + " (" + fixed(100 * each.weight, 0) +
            ")";
  std::string like;
  for (const auto& each : reasons.known)
    like += (like.empty() ? "like " : ", ") + shorten(each.id, 40) + " (" +
            fixed(each.likeness, 2) + ")";
  return text + (text.empty() || like.empty() ? "" : "; ") + like;
}

}  // namespace commonplace::app
