#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/server/http/body_files.h"
#include "app/server/http/http_server.h"

namespace commonplace::server {

/// A request on its way to a worker and back.
struct PendingRequest {
  enum class State {
    kNew,
    kWaiting,
    kInWork,
    kDone,  ///< `response` is there
    kGone,  ///< the client left before a worker had time
  };
  Request request;
  BodyFile body_file;
  Response response;
  State state = State::kNew;
  std::function<void()> wake;            ///< called once it is done or gone
  std::function<bool()> client_is_gone;  ///< asked before one that waited is begun
};

/// Where requests wait for workers. All of it belongs to the thread that serves the sockets, but
/// for what the workers do with what they were given.
class RequestQueue {
 public:
  using Post = std::function<void(std::function<void()>)>;

  /// `to_sockets` has the thread that serves the sockets call something.
  RequestQueue(const ServerOptions& options, const Service& service, Metrics& metrics,
               Post to_sockets);
  /// Waits for the requests that are in work; those that wait are never begun.
  ~RequestQueue();
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  /// Nothing if it was taken, else what its client is answered.
  std::optional<Response> submit(const std::shared_ptr<PendingRequest>& pending);
  /// Nobody waits for it any longer: it is not begun, or its answer goes nowhere. What is in work
  /// counts for its client until the worker is done with it.
  void drop(const std::shared_ptr<PendingRequest>& pending);

 private:
  void start();
  void finished(const std::shared_ptr<PendingRequest>& pending);
  void give_back(const std::string& client);
  void work();

  const ServerOptions options_;
  const Service& service_;
  Metrics& metrics_;
  const Post to_sockets_;
  std::deque<std::shared_ptr<PendingRequest>> waiting_;
  std::map<std::string, int> of_client_;
  int in_work_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<PendingRequest>> handed_out_;  ///< never more than there are workers
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace commonplace::server
