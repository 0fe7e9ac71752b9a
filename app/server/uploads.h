#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace commonplace::server {

/// A file of an upload, by the path that it was sent under.
struct UploadedFile {
  std::string name;
  std::uint64_t bytes = 0;
};

/// Files that were sent and not imported yet, below a folder of the library: uploads/u1/photo.jpg.
/// Several files may go into one upload, also in folders: uploads/u1/2019/photo.jpg.
class Uploads {
 public:
  explicit Uploads(std::filesystem::path library);

  /// Where the server puts what comes in; on the same disk, so that taking it is a rename.
  const std::filesystem::path& arrivals() const { return arrivals_; }

  /// Takes a file that has arrived, under a name that people gave it, into the upload `into`
  /// (empty: a new one), and returns the upload's id. Error for a name that is none or an upload
  /// that is not there. A file that is there already is replaced: it was sent again.
  std::string take(const std::filesystem::path& arrived, const std::string& name,
                   const std::string& into);

  /// What has arrived, by name, so that who was interrupted sends only the rest. Error if there is
  /// no such upload.
  std::vector<UploadedFile> files(const std::string& upload);

  /// What to import: the one file of an upload, or, for pictures, the folder that they were moved
  /// into for good (pictures/COLLECTION). A picture that lies there already, the same to the byte,
  /// is not taken twice. Error if there is no such upload.
  std::filesystem::path source(const std::string& upload, const std::string& collection);
  void remove(const std::string& upload);
  /// Removes uploads that nobody has used for an hour.
  void sweep();

 private:
  std::filesystem::path folder_of(const std::string& upload) const;

  std::filesystem::path library_;
  std::filesystem::path uploads_;
  std::filesystem::path arrivals_;
  std::mutex mutex_;
};

}  // namespace commonplace::server
