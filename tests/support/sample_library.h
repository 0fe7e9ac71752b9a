#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/library/items/import_items.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tags/decisions.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {

/// A test with an empty library of its own, open for writing.
class LibraryTest : public testing::Test {
 protected:
  LibraryTest() {
    Library::create(folder_ / "library");
    library_ = std::make_unique<Library>(folder_ / "library", Library::Access::write);
  }
  Library& library() { return *library_; }
  Collection collection_named(const std::string& name) { return collection(*library_, name); }

  TemporaryDirectory folder_;

 private:
  std::unique_ptr<Library> library_;
};

/// Writes the lines to a file and imports it.
ImportSummary import_jsonl(Library& library, const std::string& name, const std::string& lines,
                           const ImportOptions& options = {});

/// The names of an item's tags as shown, machine tags with a '?' behind them.
std::vector<std::string> tag_names(const Library& library, const std::string& collection,
                                   const std::string& id);

void decide_one(Library& library, const std::string& collection, const std::string& id,
                const std::string& tag, Verdict verdict);

/// The message of the Error that `act` throws; empty if it throws none.
std::string message_of(const std::function<void()>& act);

/// Everything in a library but times and paths, as text, to compare two states of it.
std::string contents(const Library& library);

}  // namespace commonplace::test
