#include "commonplace/library/database.h"

#include <utility>

#include <sqlite3.h>
#include <unistd.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// How long a writer waits for another one before it gives up.
constexpr int kBusyMilliseconds = 10'000;

std::string advice(int code, const std::string& said) {
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process is changing this library; try again when it has finished";
    case SQLITE_FULL:
      return "the disk is full; nothing was changed";
    case SQLITE_IOERR:
      return "the disk cannot be read or written (" + said + "); nothing was changed";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "the database is damaged (" + said + "); restore it from a copy";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot be written (" + said + "); check its permissions";
    default:
      return said;
  }
}

[[noreturn]] void fail_with(sqlite3* handle) {
  const char* file = sqlite3_db_filename(handle, nullptr);
  throw StorageError(concat(file == nullptr ? "the library" : file, ": ",
                            advice(sqlite3_errcode(handle) & 0xff, sqlite3_errmsg(handle))));
}

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql) : statement_(nullptr) {
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_,
                         nullptr) != SQLITE_OK)
    fail_with(database);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) fail_with(sqlite3_db_handle(statement_));
  return false;
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Statement::bind_value(int position, std::nullptr_t) {
  sqlite3_bind_null(statement_, position);
}

void Statement::bind_value(int position, std::int64_t value) {
  sqlite3_bind_int64(statement_, position, value);
}

void Statement::bind_value(int position, double value) {
  sqlite3_bind_double(statement_, position, value);
}

void Statement::bind_value(int position, std::string_view value) {
  // SQLite takes a null pointer for NULL, which an empty view may be.
  const char* bytes = value.data() == nullptr ? "" : value.data();
  if (sqlite3_bind_text64(statement_, position, bytes, value.size(), SQLITE_STATIC, SQLITE_UTF8) !=
      SQLITE_OK)
    fail_with(sqlite3_db_handle(statement_));
}

Database::Database(const std::filesystem::path& file, Mode mode) {
  // What stays open, such as a searcher, is used by several threads at once.
  int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI;
  flags |= mode == Mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::create) flags |= SQLITE_OPEN_CREATE;
  const bool fixed = mode == Mode::read && ::access(file.parent_path().c_str(), W_OK) != 0;
  std::string name = file.string();
  if (fixed) {
    // A library on a read-only medium: WAL would want to create files beside the database.
    name = "file:";
    for (const char c : file.string())
      name += c == '?' || c == '#' || c == '%' ? concat('%', std::hex, int{c}) : std::string(1, c);
    name += "?immutable=1";
  }
  if (sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    const std::string said = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    fail(file.string(), ": cannot be opened: ", said);
  }
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
  try {
    execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -65536;");
    if (mode != Mode::read) execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle_); }

Database::Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail_with(handle_);
}

std::int64_t Database::integer(std::string_view sql) const {
  Statement query = prepare(sql);
  return query.step() ? query.integer(0) : 0;
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

std::int64_t Database::changes() const { return sqlite3_changes64(handle_); }

Transaction::Transaction(Database& database)
    : database_(database), open_(!database.in_transaction()) {
  if (open_) database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}

void Transaction::commit() {
  if (!open_) return;
  database_.execute("COMMIT");
  open_ = false;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

ReadSnapshot::ReadSnapshot(const Database& database)
    : database_(database), begun_(!database.in_transaction()) {
  if (begun_) database_.prepare("BEGIN").run();
}

ReadSnapshot::~ReadSnapshot() {
  if (!begun_) return;
  try {
    database_.prepare("COMMIT").run();
  } catch (const Error&) {
    // Nothing was written, so there is nothing to lose.
  }
}

}  // namespace commonplace
