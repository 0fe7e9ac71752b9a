#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/suggest/core/audit.h"
#include "commonplace/suggest/model.h"

namespace commonplace::suggest {

enum class Fault {
  wrong,    ///< the item has the tag, and probably should not
  missing,  ///< it has it not, and probably should
};
constexpr std::array<std::pair<Fault, const char*>, 2> words_of(Fault) {
  return {{{Fault::wrong, "wrong"}, {Fault::missing, "missing"}}};
}

/// A tag of an item that is probably at fault.
struct AuditEntry {
  std::string id;
  std::string tag;
  Fault kind = Fault::wrong;
  double doubt = 0;       ///< in [0, 1]: how much it looks like a fault
  double confidence = 0;  ///< that the item has the tag, by the other items
  double usual = 0;       ///< the same, mean over the items that have it
  std::string reason;     ///< in words
};
template <class Visit>
void visit_question(const AuditEntry& entry, Visit&& visit) {
  visit("tag", entry.tag, "in question");
  visit("kind", entry.kind, "whether it is probably wrong or missing");
  visit("doubt", entry.doubt, "how much it looks like a fault, 0 to 1");
  visit("confidence", entry.confidence, "that the item has the tag, by what other items teach");
  visit("usual", entry.usual, "the same, mean over the items that have it");
  visit("reason", entry.reason, "in words");
}
template <class Visit>
void visit_fields(const AuditEntry& entry, Visit&& visit) {
  visit("id", entry.id, "of the item");
  visit_question(entry, visit);
}

/// What looking through the tags of a collection has found.
struct Audit {
  std::string collection;
  std::int64_t items = 0;  ///< that were judged
  std::int64_t given = 0;  ///< tags that they have
  std::int64_t folds = 0;
  double seconds = 0;
  std::string created{};          ///< when; empty: just now
  std::vector<AuditEntry> wrong;  ///< most probable fault first
  std::vector<AuditEntry> missing;
};
template <class Visit>
void visit_fields(const Audit& audit, Visit&& visit) {
  visit("collection", audit.collection, "that was looked through");
  visit("items", audit.items, "that were judged");
  visit("given", audit.given, "tags that they have");
  visit("folds", audit.folds, "parts, each judged by what the others teach");
  visit("seconds", audit.seconds, "that it took");
  visit("wrong", audit.wrong, "tags that are probably wrong, the worst first");
  visit("missing", audit.missing, "tags that are probably missing, the surest first");
}

/// Judges the tags of a collection's items, each by what the others teach, and keeps at most so
/// many of either kind. Tags that the vocabulary keeps from machines are not said to be missing;
/// what was decided by people is not in question again. Nothing is stored. Error where other tags
/// are all there is to learn from.
Audit audit(const Library& library, const std::string& collection, const ModelOptions& how,
            const AuditOptions& options, std::size_t most, const Run& run);

/// Keeps what was found with the library, in place of what was found before.
void store_audit(Library& library, const Audit& audit);
/// What was found last, without the questions that have been decided since; nothing if there was no
/// audit.
std::optional<Audit> stored_audit(const Library& library, const std::string& collection);

/// The material that a collection is judged on, and with it which item each row is.
struct AuditMaterial {
  StoredRows rows;
  Sparse targets;
  std::vector<std::int64_t> blocks;
  std::vector<std::string> times;
  std::vector<std::string> ids;
  std::vector<std::string> tags;
};
AuditMaterial audit_material(const Library& library, const Collection& collection,
                             const ModelOptions& how, const Run& run);

}  // namespace commonplace::suggest
