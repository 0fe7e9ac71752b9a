#include "commonplace/comm/mpi/mpi_comm.h"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <vector>

#include <sched.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/mpi/mpi_check.h"
#include "commonplace/comm/reduce.h"

namespace commonplace {
namespace {

constexpr std::size_t broadcast_bytes_at_once = std::size_t{1} << 30;
constexpr std::int64_t texts_in_one_message = std::int64_t{8} << 20;

MPI_Datatype mpi_type(double) { return MPI_DOUBLE; }
MPI_Datatype mpi_type(std::int64_t) { return MPI_INT64_T; }

}  // namespace

MpiComm::MpiComm(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  // The least of all ranks' levels, as they must agree on the way share_work takes.
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  check(MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  threads_may_call_ = level >= MPI_THREAD_MULTIPLE;
  look_around_host();
}

void MpiComm::look_around_host() {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type");
  check(MPI_Comm_size(host, &ranks_on_host_), "MPI_Comm_size");
  // mpirun may have bound the ranks to processors of their own, or to the same, or not at all: of a
  // processor that r ranks may use, each is due 1 / r.
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> users(CPU_SETSIZE);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    users[static_cast<std::size_t>(processor)] = CPU_ISSET(processor, &allowed) ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, users.data(), CPU_SETSIZE, MPI_INT, MPI_SUM, host),
        "MPI_Allreduce");
  MPI_Comm_free(&host);
  double due = 0;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &allowed)) due += 1.0 / users[static_cast<std::size_t>(processor)];
  // Thirds do not add up to one exactly.
  processors_ = std::max(1, static_cast<int>(due + 1e-6));
}

std::string MpiComm::library() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

MpiComm::~MpiComm() {
  // Freeing is collective: a rank that unwinds alone must not wait for the others here.
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

void MpiComm::sum(std::span<double> values) { reduce(values, "sum", detail::Add{}); }
void MpiComm::sum(std::span<std::int64_t> values) { reduce(values, "integer sum", detail::Add{}); }
void MpiComm::max(std::span<double> values) { reduce(values, "max", detail::Larger{}); }

template <class T, class Operation>
void MpiComm::reduce(std::span<T> values, const char* name, Operation operation) {
  if (size_ == 1) return;
  const std::int64_t received_values = detail::values_received(std::ssize(values), rank_, size_);
  const Call call(*this, name, received_values * std::int64_t{sizeof(T)});
  constexpr auto piece = static_cast<std::size_t>(detail::kPieceValues);
  // Every rank's copy of one share; a share is at most one longer than piece / size.
  std::vector<T> received(std::min(values.size(), piece) + static_cast<std::size_t>(size_));
  for (std::size_t begin = 0; begin < values.size(); begin += piece)
    reduce_piece(values.subspan(begin, std::min(piece, values.size() - begin)),
                 std::span<T>(received), operation);
}

template <class T, class Operation>
void MpiComm::reduce_piece(std::span<T> values, std::span<T> received, Operation operation) {
  const auto ranks = static_cast<std::size_t>(size_);
  const RowRange mine = rows_of_rank(std::ssize(values), rank_, size_);
  const auto length = static_cast<int>(mine.end - mine.begin);
  std::vector<int> lengths(ranks);
  std::vector<int> offsets(ranks);
  std::vector<int> received_offsets(ranks);
  for (int other = 0; other < size_; ++other) {
    const RowRange share = rows_of_rank(std::ssize(values), other, size_);
    const auto at = static_cast<std::size_t>(other);
    lengths[at] = static_cast<int>(share.end - share.begin);
    offsets[at] = static_cast<int>(share.begin);
    received_offsets[at] = other * length;
  }
  const std::vector<int> received_lengths(ranks, length);
  const MPI_Datatype type = mpi_type(T{});
  check(MPI_Alltoallv(values.data(), lengths.data(), offsets.data(), type, received.data(),
                      received_lengths.data(), received_offsets.data(), type, comm_),
        "MPI_Alltoallv");
  T* const totals = values.data() + mine.begin;
  std::copy_n(received.data(), length, totals);
  for (int other = 1; other < size_; ++other)
    std::transform(totals, totals + length, received.data() + other * length, totals, operation);
  check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), lengths.data(),
                       offsets.data(), type, comm_),
        "MPI_Allgatherv");
}

void MpiComm::broadcast_bytes(std::span<std::byte> bytes, int root) {
  require(root >= 0 && root < size_, "cannot broadcast from rank ", root, " of ", size_);
  const Call call(*this, "broadcast", rank_ == root ? 0 : std::ssize(bytes));
  send_to_all(bytes, root);
}

void MpiComm::send_to_all(std::span<std::byte> bytes, int root) {
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), broadcast_bytes_at_once);
    check(MPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, root, comm_), "MPI_Bcast");
    bytes = bytes.subspan(length);
  }
}

Matrix MpiComm::gather_rows(const Matrix& rows) {
  Call call(*this, "gather_rows");
  struct Shape {
    std::int64_t rows;
    std::int64_t columns;
  };
  const Shape mine{rows.rows(), rows.cols()};
  std::vector<Shape> shapes(static_cast<std::size_t>(size_));
  check(MPI_Allgather(&mine, 2, MPI_INT64_T, shapes.data(), 2, MPI_INT64_T, comm_),
        "MPI_Allgather");
  std::int64_t total = 0;
  std::int64_t columns = shapes.front().columns;
  for (const Shape& shape : shapes) {
    if (shape.rows == 0) continue;
    require(total == 0 || shape.columns == columns, "the ranks gather rows of ", columns,
            " and of ", shape.columns, " columns; all must have the same number");
    columns = shape.columns;
    total += shape.rows;
  }
  Matrix all(total, columns);
  // One broadcast a rank: the counts of a single gather would overflow an int.
  std::int64_t first = 0;
  for (int other = 0; other < size_; ++other) {
    const std::int64_t length = shapes[static_cast<std::size_t>(other)].rows;
    if (length == 0) continue;
    if (other == rank_) all.middleRows(first, length) = rows;
    const std::span<float> block(all.data() + first * columns,
                                 static_cast<std::size_t>(length * columns));
    send_to_all(std::as_writable_bytes(block), other);
    first += length;
  }
  call.received((all.size() - rows.size()) * std::int64_t{sizeof(float)});
  return all;
}

std::vector<std::string> MpiComm::gather_texts(std::string_view text) {
  Call call(*this, "gather_texts");
  const std::int64_t length = std::ssize(text);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size_));
  check(MPI_Allgather(&length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, comm_),
        "MPI_Allgather");
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  call.received(total - length);
  if (total <= texts_in_one_message) return gather_short_texts(text, lengths);
  // As for rows, one broadcast a rank.
  std::vector<std::string> all(lengths.size());
  for (int other = 0; other < size_; ++other) {
    const auto at = static_cast<std::size_t>(other);
    if (other == rank_)
      all[at] = text;
    else
      all[at].resize(static_cast<std::size_t>(lengths[at]));
    send_to_all(std::as_writable_bytes(std::span<char>(all[at])), other);
  }
  return all;
}

std::vector<std::string> MpiComm::gather_short_texts(std::string_view text,
                                                     std::span<const std::int64_t> lengths) {
  const std::vector<int> counts(lengths.begin(), lengths.end());
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::string together(static_cast<std::size_t>(offsets.back() + counts.back()), '\0');
  check(MPI_Allgatherv(text.data(), static_cast<int>(text.size()), MPI_BYTE, together.data(),
                       counts.data(), offsets.data(), MPI_BYTE, comm_),
        "MPI_Allgatherv");
  std::vector<std::string> all;
  all.reserve(counts.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    all.push_back(together.substr(static_cast<std::size_t>(offsets[rank]),
                                  static_cast<std::size_t>(counts[rank])));
  return all;
}

void MpiComm::barrier() {
  const Call call(*this, "barrier");
  check(MPI_Barrier(comm_), "MPI_Barrier");
}

}  // namespace commonplace
