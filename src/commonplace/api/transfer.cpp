#include "commonplace/transfer.h"

#include "commonplace/api/inside.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/transfer/ask.h"

namespace commonplace::api::transfer {
namespace {

namespace room = ::commonplace::transfer;

room::Request translate(const std::vector<std::string>& sources, const std::string& target,
                        const Options& from) {
  room::Request request;
  request.sources = sources;
  request.target = target;
  request.through = from.through;
  request.direct = from.direct;
  request.chain = from.chain;
  request.candidates = from.candidates;
  request.most = from.most;
  request.force = from.force;
  request.dry_run = from.dry_run;
  request.above = from.above;
  request.name = from.name;
  return request;
}

Bridge translate(const room::RankedBridge& from) {
  return {from.name,
          from.forecast.gain,
          from.forecast.gain_error,
          from.forecast.success,
          from.shared_source,
          from.shared_target,
          from.only_way};
}

}  // namespace

std::vector<Setting> settings() { return list_settings(room::ReadOptions(), room::Options()); }

Answer label(Library& library, const std::vector<std::string>& sources, const std::string& target,
             const Options& options, const Run& run) {
  room::ReadOptions read;
  room::Options how;
  apply_settings(options.settings, read, how);
  const auto from =
      room::ask(inside(library), translate(sources, target, options), read, how, inside(run));
  Answer answer;
  answer.model = from.model;
  answer.through = from.through;
  answer.field = from.field;
  if (from.forecast) answer.forecast = translate(*from.forecast);
  answer.refused = from.refused;
  answer.reason = from.reason;
  answer.predictions = each_of(from.predictions, [](const auto& each) {
    return Prediction{each.item, each.label, each.probability};
  });
  answer.known = from.known;
  answer.sure = from.sure;
  answer.written = from.written;
  answer.mean_probability = from.mean_probability;
  answer.seconds = from.seconds;
  answer.json = to_json(from);
  return answer;
}

std::int64_t undo(Library& library, const std::string& model, const std::string& target) {
  model_record(inside(library), model);  // Error if there is none
  return remove_machine_labels(inside(library), ::commonplace::collection(inside(library), target),
                               model);
}

Bridges bridges(const Library& library, const std::vector<std::string>& sources,
                const std::string& target, const Options& options, const Run& run) {
  room::ReadOptions read;
  room::Options how;
  apply_settings(options.settings, read, how);
  const auto ranking = room::rank_library_bridges(
      inside(library), translate(sources, target, options), read, inside(run));
  return {each_of(ranking.bridges, [](const room::RankedBridge& each) { return translate(each); }),
          ranking.chain, ranking.advice.learned_from};
}

Report learn(Library& library, const std::vector<std::string>& collections,
             const Settings& settings, const Run& run) {
  room::ReadOptions read;
  apply_settings(settings, read);
  const auto learned = room::learn_bridges(inside(library), collections, read, {}, inside(run));
  return {learned.names, std::ssize(learned.held_out), learned.advice.learned_from, learned.seconds,
          to_json(learned)};
}

}  // namespace commonplace::api::transfer
