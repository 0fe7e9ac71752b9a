#include <algorithm>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace::server {
namespace {

Response audit_answer(Workspace& workspace, const Request& request) {
  const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
  const std::int64_t limit = number(request, "limit", 50, 0, 500);
  const std::string kind = text(request, "kind");
  const auto fault =
      suggest::Fault{from_word<suggest::Fault>(kind).value_or(suggest::Fault::wrong)};
  if (!kind.empty() && word_of(fault) != kind)
    throw Problem{400,
                  concat("'kind' is '", kind, "'; expected one of ", all_words<suggest::Fault>())};
  const std::string tag = tag_key(text(request, "tag"));
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, text(request, "collection"));
  const auto found = suggest::stored_audit(*library, chosen.name);
  AuditAnswer answer;
  answer.collection = chosen.name;
  if (!found) return json_answer(answer);
  ItemReader reader(*library, chosen);
  answer.audited = found->created;
  answer.items = found->items;
  answer.given = found->given;
  for (const suggest::AuditEntry& each :
       fault == suggest::Fault::wrong ? found->wrong : found->missing) {
    if (!tag.empty() && tag_key(each.tag) != tag) continue;
    if (answer.left++ < offset || std::ssize(answer.entries) >= limit) continue;
    if (const std::optional<Item> item = reader.find(each.id))
      answer.entries.push_back({brief(workspace, chosen, *item), each});
  }
  return json_answer(answer);
}

}  // namespace

void add_audit_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/audit", [&workspace](const Request& request, const PathValues&) {
                return audit_answer(workspace, request);
              }});
}

}  // namespace commonplace::server
