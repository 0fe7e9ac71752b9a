#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace commonplace {

/// A prepared SQLite statement. Parameters are bound in order; columns are counted from 0.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  /// Resets the statement and binds all its parameters. Text is not copied: it must live until
  /// the statement has been stepped.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int position = 0;
    (bind_value(++position, values), ...);
    return *this;
  }
  /// True while there is a row.
  bool step();
  /// Binds and steps to the end.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
    reset();
  }
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Valid until the next step or reset.
  std::string_view text(int column) const;

 private:
  void bind_value(int position, std::nullptr_t);
  void bind_value(int position, std::int64_t value);
  void bind_value(int position, int value) { bind_value(position, std::int64_t{value}); }
  void bind_value(int position, double value);
  void bind_value(int position, std::string_view value);
  void bind_value(int position, const char* value) {
    bind_value(position, std::string_view(value));
  }
  void bind_value(int position, const std::string& value) {
    bind_value(position, std::string_view(value));
  }
  template <class T>
  void bind_value(int position, const std::optional<T>& value) {
    value ? bind_value(position, *value) : bind_value(position, nullptr);
  }

  sqlite3_stmt* statement_;
};

/// An open SQLite database. Every failure is an Error that says what to do.
class Database {
 public:
  enum class Mode { read, write, create };
  Database(const std::filesystem::path& file, Mode mode);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;

  /// Runs statements that take nothing and return nothing.
  void execute(const std::string& sql);
  Statement prepare(std::string_view sql) const { return {handle_, sql}; }
  /// The first column of the only row of a query.
  std::int64_t integer(std::string_view sql) const;
  std::int64_t last_row() const;  ///< of the last INSERT
  std::int64_t changes() const;   ///< of the last statement
  bool in_transaction() const;

 private:
  sqlite3* handle_ = nullptr;
};

/// Holds the one write lock of the database; what was done is undone unless `commit` is called.
/// Within another transaction it is a part of that one.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_;
};

/// While it lives, everything read is of one moment, whatever others write; nothing may be written
/// through this connection. Within a transaction, or another snapshot, it does nothing.
class ReadSnapshot {
 public:
  explicit ReadSnapshot(const Database& database);
  ~ReadSnapshot();
  ReadSnapshot(const ReadSnapshot&) = delete;
  ReadSnapshot& operator=(const ReadSnapshot&) = delete;

 private:
  const Database& database_;
  bool begun_;
};

}  // namespace commonplace
