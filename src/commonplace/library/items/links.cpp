#include "commonplace/library/items/links.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/io/csv.h"
#include "commonplace/io/lines.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

std::optional<double> weight_of(const std::string& cell) {
  double weight = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), weight);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return weight;
}

class LinkWriter {
 public:
  LinkWriter(Library& library, const Collection& from, const Collection& to)
      : from_(from),
        to_(to),
        find_(library.database().prepare("SELECT id FROM item WHERE collection = ? AND key = ?")),
        weight_(library.database().prepare("SELECT weight FROM link WHERE a = ? AND b = ?")),
        write_(library.database().prepare(
            "INSERT INTO link(a, b, weight) VALUES(?, ?, ?) "
            "ON CONFLICT(a, b) DO UPDATE SET weight = excluded.weight")) {}

  void put(const std::string& a, const std::string& b, double weight) {
    require(weight >= -1 && weight <= 1, "the weight ", weight, " is not within -1 and 1");
    std::int64_t first = item(from_, a);
    std::int64_t second = item(to_, b);
    require(first != second, "item '", a, "' cannot be linked to itself");
    if (first > second) std::swap(first, second);
    if (weight_.bind(first, second).step()) {
      ++(weight_.real(0) == weight ? summary.unchanged : summary.changed);
    } else {
      ++summary.added;
    }
    weight_.reset();
    write_.run(first, second, weight);
  }

  LinkSummary summary;

 private:
  std::int64_t item(const Collection& collection, const std::string& id) {
    require(find_.bind(collection.id, nfc(id)).step(), "collection '", collection.name,
            "' has no item '", id, "'");
    const std::int64_t found = find_.integer(0);
    find_.reset();
    return found;
  }

  const Collection& from_;
  const Collection& to_;
  Statement find_;
  Statement weight_;
  Statement write_;
};

}  // namespace

LinkSummary import_links(Library& library, const Collection& from, const Collection& to,
                         const fs::path& file, const Progress& progress) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(file);
  Transaction transaction(library.database());
  LinkWriter writer(library, from, to);
  CsvRecords rows(*bytes, file.string(), '\0');
  for (std::int64_t row = 0; rows.next(); ++row) {
    const std::vector<std::string>& cells = rows.cells();
    if (row % 4096 == 0) progress({"linking", bytes->consumed(), bytes->total(), "bytes"});
    if (row == 0 && cells.size() >= 2 && cells[0] == "a" && cells[1] == "b") continue;
    try {
      require(rows.problem().empty(), rows.problem());
      require(cells.size() == 2 || cells.size() == 3, "has ", cells.size(),
              " cells; a link is a,b,weight");
      const std::optional<double> weight = cells.size() == 2 ? 1 : weight_of(cells[2]);
      require(weight.has_value(), "the weight '", cells.back(), "' is not a number");
      writer.put(cells[0], cells[1], *weight);
    } catch (const StorageError&) {
      throw;
    } catch (const Error& error) {
      fail(to_string(rows.where()), ": ", error.what(), "; no link was added");
    }
  }
  transaction.commit();
  return writer.summary;
}

LinkSummary store_links(Library& library, const Collection& from, const Collection& to,
                        std::span<const Link> links) {
  Transaction transaction(library.database());
  LinkWriter writer(library, from, to);
  for (std::size_t i = 0; i < links.size(); ++i) try {
      writer.put(links[i].a, links[i].b, links[i].weight);
    } catch (const StorageError&) {
      throw;
    } catch (const Error& error) {
      fail("link ", i + 1, ": ", error.what(), "; no link was added");
    }
  transaction.commit();
  return writer.summary;
}

void visit_links(const Library& library, const Collection& from, const Collection& to,
                 const std::function<void(const Link&)>& visit) {
  Statement query = library.database().prepare(
      "SELECT x.collection, x.key, y.key, l.weight FROM link l "
      "JOIN item x ON x.id = l.a JOIN item y ON y.id = l.b "
      "WHERE (x.collection = ?1 AND y.collection = ?2) OR (x.collection = ?2 AND y.collection = "
      "?1) "
      "ORDER BY l.a, l.b");
  query.bind(from.id, to.id);
  while (query.step()) {
    Link link{std::string(query.text(1)), std::string(query.text(2)), query.real(3)};
    if (query.integer(0) != from.id) std::swap(link.a, link.b);
    visit(link);
  }
}

std::vector<LinkCount> link_counts(const Library& library) {
  Statement query = library.database().prepare(
      "SELECT min(c.name, d.name), max(c.name, d.name), count(*) FROM link l "
      "JOIN item x ON x.id = l.a JOIN item y ON y.id = l.b "
      "JOIN collection c ON c.id = x.collection JOIN collection d ON d.id = y.collection "
      "GROUP BY 1, 2 ORDER BY 1, 2");
  std::vector<LinkCount> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), std::string(query.text(1)), query.integer(2)});
  return result;
}

}  // namespace commonplace
