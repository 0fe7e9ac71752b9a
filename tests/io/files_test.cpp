#include "commonplace/io/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commonplace/base/error.h"
#include "commonplace/io/scratch.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace files_test {

namespace fs = std::filesystem;
using test::slurp;
using test::TemporaryDirectory;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AppearsWholeOnCommit) {
  const TemporaryDirectory folder;
  const fs::path path = folder.write("file", "old");
  AtomicFile file(path);
  file.write("new ");
  file.write(std::string(3 << 20, 'x'));
  EXPECT_EQ(slurp(path), "old");
  file.write_at(0, "NEW");
  file.write("end");
  EXPECT_EQ(file.size(), 4u + (3u << 20) + 3u);
  file.commit();
  const std::string content = slurp(path);
  EXPECT_EQ(content.size(), file.size());
  EXPECT_TRUE(content.starts_with("NEW xxx"));
  EXPECT_TRUE(content.ends_with("xend"));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, WithoutCommitNothingIsChangedOrLeft) {
  const TemporaryDirectory folder;
  const fs::path path = folder.write("file", "old");
  { AtomicFile(path).write("new"); }
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, KeepsPermissionsAndLinks) {
  const TemporaryDirectory folder;
  const fs::path path = folder.write("real", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(slurp(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, RefusesAFolderAndAMissingFolder) {
  const TemporaryDirectory folder;
  EXPECT_THROW(AtomicFile(folder.path()), Error);
  EXPECT_THROW(AtomicFile(folder / "missing/file"), Error);
}

TEST(AtomicFolder, ReplacesAFolderInOneStep) {
  const TemporaryDirectory folder;
  folder.write("out/old.txt", "old");
  {
    AtomicFolder abandoned(folder / "out");
    std::ofstream(abandoned.temporary() / "new.txt") << "new";
  }
  EXPECT_EQ(slurp(folder / "out/old.txt"), "old");
  AtomicFolder replaced(folder / "out/");
  std::ofstream(replaced.temporary() / "new.txt") << "new";
  replaced.commit();
  EXPECT_EQ(slurp(folder / "out/new.txt"), "new");
  EXPECT_FALSE(fs::exists(folder / "out/old.txt"));
  {
    AtomicFolder fresh(folder / "fresh");
    fresh.commit();
  }
  EXPECT_TRUE(fs::is_empty(folder / "fresh"));
}

TEST(SweepTemporaries, RemovesThoseOfDeadProcessesOnly) {
  const TemporaryDirectory folder;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(folder / "file");
    file.write("half");
    ::_exit(0);  // like kill -9: no destructor runs
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(entries(folder.path()), 1u);
  AtomicFile alive(folder / "other");
  folder.write(".commonplace-notes", "somebody's own file");
  sweep_temporaries(folder.path());
  EXPECT_EQ(entries(folder.path()), 2u);
  alive.write("whole");
  alive.commit();
  EXPECT_EQ(slurp(folder / "other"), "whole");
}

TEST(ReadFile, ReadsUpToItsLimitAndRegularFilesOnly) {
  const TemporaryDirectory folder;
  const fs::path path = folder.write("file", "12345");
  EXPECT_EQ(read_file(path, 5), "12345");
  EXPECT_THROW(read_file(path, 4), Error);
  EXPECT_THROW(read_file(folder / "missing", 4), Error);
  EXPECT_THROW(read_file(folder.path(), 4), Error);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(read_file(folder / "pipe", 4), Error);
}

TEST(MappedFile, SurvivesAMove) {
  const TemporaryDirectory folder;
  MappedFile first(folder.write("file", "abc"));
  MappedFile second(std::move(first));
  ASSERT_EQ(second.bytes().size(), 3u);
  EXPECT_EQ(second.bytes()[1], std::byte{'b'});
  EXPECT_EQ(MappedFile(folder.write("empty", "")).bytes().size(), 0u);
}

TEST(Scratch, HoldsNumbersWithoutAFileInSight) {
  const TemporaryDirectory folder;
  Scratch<std::int32_t> numbers(folder.path());
  constexpr std::int32_t kCount = 1'000'000;
  for (std::int32_t i = 0; i < kCount; ++i) numbers.append(i);
  EXPECT_EQ(entries(folder.path()), 0u);
  Scratch<std::int32_t> moved(std::move(numbers));
  const auto view = moved.view();
  ASSERT_EQ(view.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(view.front(), 0);
  EXPECT_EQ(view.back(), kCount - 1);
  EXPECT_TRUE(Scratch<float>(folder.path()).view().empty());
}

}  // namespace files_test
}  // namespace commonplace
