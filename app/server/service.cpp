#include "app/server/service.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "app/server/http/compressed.h"
#include "app/server/http/conditional.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"

namespace commonplace::server {
namespace {

using Clock = std::chrono::steady_clock;
using Log = std::function<void(const std::string&)>;

constexpr const char* kOther = "other";

struct Context {
  const Router& router;
  const GuardOptions& guard;
  Metrics& metrics;
  Log log;
};

Response not_found(const Request& request, const Router::Found& found) {
  if (found.allowed.empty()) return problem(404, "there is no " + request.path);
  const std::string allowed = join(found.allowed);
  return problem(405, concat(request.path, " has no ", request.method, "; it has ", allowed),
                 {{"Allow", allowed}});
}

Response our_fault(const Context& context, const Request& request, const char* what) {
  std::string line = concat(request.method, " ", request.path, ": ", what);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (context.log) context.log(line);
  return problem(500, "a fault of the server; its log says more");
}

/// What the handler answers, or what it threw as a problem.
Response handle(const Context& context, const Request& request, const Router::Found& found) {
  try {
    return found.route->handler(request, found.values);
  } catch (const Problem& thrown) {
    return problem(thrown);
  } catch (const Cancelled&) {
    return problem(503, "stopped before it was done; nothing was changed", {{"Retry-After", "1"}});
  } catch (const StorageError& error) {
    return our_fault(context, request, error.what());
  } catch (const Error& error) {
    return problem(400, error.what());
  } catch (const std::exception& error) {
    return our_fault(context, request, error.what());
  } catch (...) {
    return our_fault(context, request, "something that is no exception was thrown");
  }
}

Admission admit(const Context& context, const Request& request) {
  Admission admission;
  const Router::Found found = context.router.find(request);
  if (found.route == nullptr) {
    admission.refusal = not_found(request, found);
  } else {
    admission.route = found.route->pattern;
    admission.most_bytes = found.route->most_bytes;
    admission.to_file = found.route->to_file;
    admission.refusal = refusal(request, *found.route, context.guard);
  }
  if (admission.refusal) {
    add_standard_headers(*admission.refusal, request.path);
    context.metrics.count_request(request.method, admission.route, admission.refusal->status, 0);
  }
  return admission;
}

Response answer(const Context& context, const Request& request) {
  const Clock::time_point begin = Clock::now();
  const Router::Found found = context.router.find(request);
  Response response =
      found.route == nullptr ? not_found(request, found) : handle(context, request, found);
  apply_conditions(request, response);
  compress(request, response);
  add_standard_headers(response, request.path);
  const Clock::time_point end = Clock::now();
  // After the deadline the client has been told 503.
  const bool late = request.deadline != Clock::time_point{} && end > request.deadline;
  context.metrics.count_request(
      request.method, found.route == nullptr ? kOther : found.route->pattern,
      late ? 503 : response.status, std::chrono::duration<double>(end - begin).count());
  return response;
}

}  // namespace

Service make_service(const Router& router, const GuardOptions& guard, Metrics& metrics, Log log) {
  const auto context = std::make_shared<Context>(Context{router, guard, metrics, std::move(log)});
  Service service;
  service.admit = [context](const Request& request) { return admit(*context, request); };
  service.answer = [context](const Request& request) { return answer(*context, request); };
  return service;
}

}  // namespace commonplace::server
