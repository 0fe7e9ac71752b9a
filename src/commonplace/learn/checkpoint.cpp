#include "commonplace/learn/checkpoint.h"

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/files.h"
#include "commonplace/io/model_file.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpointKind = "checkpoint";
constexpr int kCheckpointLayout = 1;
constexpr const char* kLatest = "latest";
constexpr std::uint64_t kLongestNote = 1000;

}  // namespace

Checkpoint::Checkpoint(const CheckpointOptions& options, const std::string& name, std::string key,
                       Comm& comm)
    : folder_(options.folder.empty() ? fs::path() : options.folder / name),
      key_(std::move(key)),
      comm_(comm),
      seconds_(options.seconds),
      kept_at_(Clock::now()) {
  require(options.seconds >= 0, "the time between checkpoints is ", options.seconds,
          " s; expected 0 or more");
  if (!folder_.empty()) on_root(comm, [&] { fs::create_directories(folder_); });
}

fs::path Checkpoint::file_of(const std::string& iteration, int rank) const {
  return folder_ / concat(iteration, "-", rank, ".safetensors");
}

fs::path Checkpoint::latest() const { return folder_ / kLatest; }

std::optional<TensorFile> Checkpoint::resume() {
  if (folder_.empty()) return {};
  std::string note;
  if (comm_.rank() == 0 && fs::exists(latest())) note = read_file(latest(), kLongestNote);
  note = broadcast_text(comm_, note);
  if (note.empty()) return {};
  const std::size_t blank = note.find(' ');
  const std::string ranks = blank == std::string::npos ? "" : note.substr(blank + 1);
  require(ranks == std::to_string(comm_.size()), "the checkpoint in ", folder_.string(),
          " was kept by ", ranks, " ranks, and there are ", comm_.size(),
          "; go on with as many, or remove it to begin anew");
  kept_ = note.substr(0, blank);
  TensorFile file(file_of(kept_, comm_.rank()));
  require_kind(file, kCheckpointKind, kCheckpointLayout);
  require(file.metadata("options") == key_, "the checkpoint in ", folder_.string(),
          " is of a fit with other options or other items; give another folder, or remove it");
  return file;
}

bool Checkpoint::due(bool last) const {
  if (folder_.empty()) return false;
  // One clock decides for all.
  return comm_.broadcast(last || seconds_since(kept_at_) >= seconds_ ? 1 : 0, 0) != 0;
}

void Checkpoint::keep(int iteration, TensorWriter part) {
  const std::string now = std::to_string(iteration);
  describe_model(part, kCheckpointKind, kCheckpointLayout, key_);
  part.write(file_of(now, comm_.rank()));
  comm_.barrier();  // all parts are there
  on_root(comm_, [&] {
    AtomicFile note(latest());
    note.write(concat(now, " ", comm_.size()));
    note.commit();
  });
  if (!kept_.empty() && kept_ != now) {
    std::error_code ignored;
    fs::remove(file_of(kept_, comm_.rank()), ignored);
  }
  kept_ = now;
  kept_at_ = Clock::now();
}

void forget_checkpoint(const CheckpointOptions& options, const std::string& name) {
  if (options.folder.empty()) return;
  std::error_code ignored;
  const fs::path kept = options.folder / name;
  fs::remove(kept / kLatest, ignored);  // first: without it the parts are nothing
  fs::remove_all(kept, ignored);        // also what a killed rank had only begun to write
  fs::remove(options.folder, ignored);  // unless there is more in it
}

}  // namespace commonplace
