"""What must not happen: lost decisions, a crash by what a client sends, damage by a full disk."""
import http.client
import json
import random
import socket
import threading

from serving import Server, ServerTest, encoded, main

DECISIONS = "/v1/collections/photos/decisions"


class Faults(ServerTest):
    def test_a_killed_server_has_lost_no_decision_that_it_answered(self):
        self.plant(90)
        answered = []
        lock = threading.Lock()
        server = Server(self.library)

        def decide(worker):
            connection = server.connection()
            for i in range(worker, 90, 3):
                body = json.dumps({"decisions": [
                    {"item": f"2019/p{i}.png", "tag": f"kept {i}", "verdict": "accepted"}]})
                try:
                    connection.request("POST", DECISIONS, body, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    answer.read()
                except (OSError, http.client.HTTPException):  # it was killed meanwhile
                    return
                if answer.status == 200:
                    with lock:
                        answered.append(i)
                        if len(answered) == 40:
                            server.process.kill()

        threads = [threading.Thread(target=decide, args=(worker,)) for worker in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.kill()
        self.assertGreaterEqual(len(answered), 40)
        again = self.serve()
        for i in answered:
            item = again.get("/v1/collections/photos/items/" + encoded(f"2019/p{i}.png")).json
            self.assertIn(f"kept {i}", [tag["name"] for tag in item["tags"]])
        self.assertEqual(again.get("/v1/review", collection="photos").status, 200)

    def test_a_full_disk_is_told_and_does_no_damage(self):
        self.plant(60)
        size = max(path.stat().st_size for path in self.library.rglob("*") if path.is_file())
        server = Server(self.library, limit_files=size)
        self.addCleanup(server.stop)
        stored, refused = 0, 0
        for i in range(5000):
            answer = server.ask("POST", DECISIONS, body={"decisions": [
                {"item": "2019/p1.png", "tag": f"t{i} " + "x" * 900, "verdict": "accepted"}]})
            if answer.status == 200:
                self.assertEqual(refused, 0)
                stored += 1
            else:
                self.assertEqual(answer.status, 500, answer.bytes)
                self.assertNotIn(str(self.library), answer.bytes.decode())
                refused += 1
            if refused > 3:
                break
        self.assertGreater(refused, 0, "the disk was not full")
        self.assertEqual(server.get("/v1/search", q="feather").status, 200)
        self.assertEqual(server.stop(), 0)
        with_room = self.serve()
        item = with_room.get("/v1/collections/photos/items/" + encoded("2019/p1.png")).json
        self.assertEqual(sum(tag["name"].startswith("t") and tag["by"] == "user" for tag in item["tags"]), stored)

    def test_nothing_that_is_sent_crashes_it(self):
        self.plant(30, learn=False)
        server = self.serve()
        draw = random.Random(7)
        seeds = [b"GET /v1/search?q=owl HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"POST " + DECISIONS.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 65\r\n\r\n"
                 b'{"decisions":[{"item":"2019/p1.png","tag":"a","verdict":"rejected"}]}',
                 b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                 b"Content-Type: application/json\r\n\r\n10\r\n{\"task\":\"none\"} \r\n0\r\n\r\n",
                 b"GET /v1/collections/photos/items/2019%2Fp1.png/thumbnail?size=64 HTTP/1.1\r\nHost: localhost\r\n\r\n"]
        for _ in range(400):
            request = bytearray(draw.choice(seeds))
            for _ in range(draw.randint(1, 8)):
                at = draw.randrange(len(request))
                how = draw.randrange(3)
                if how == 0:
                    request[at] = draw.randrange(256)
                elif how == 1:
                    del request[at:at + draw.randint(1, 9)]
                else:
                    request[at:at] = bytes(draw.choices(b"\0\xff{}[]\"%/:\r\n09", k=draw.randint(1, 9)))
                if not request:
                    break
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
                connection.sendall(bytes(request))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
        self.assertIsNone(server.process.poll())
        self.assertEqual(server.get("/health").json["status"], "ok")
        self.assertEqual(server.stop(), 0)

    def test_values_of_every_kind_in_every_field(self):
        self.plant(60)
        server = self.serve()
        odd = ["", "-1", "99999999999999999999", "nan", "1e400", "\u0000", "%", "Ölfass", "x" * 3000, "[]", "{}",
               "' OR 1=1 --", "../../etc/passwd", "\ud83e\udd89".encode("utf-16", "surrogatepass").decode("utf-16")]
        for path, fields in {
                "/v1/search": ["q", "collection", "model", "offset", "limit", "explain"],
                "/v1/like": ["collection", "id", "limit"],
                "/v1/review": ["collection", "order", "tag", "threshold"],
                "/v1/relate": ["item", "tag", "at", "text", "kinds", "limit"],
                "/v1/map": ["most", "groups", "model"],
                "/v1/groups": ["k"],
                "/v1/collections/photos/tags": ["prefix", "offset"]}.items():
            for field in fields:
                for value in odd:
                    values = {"q": "owl", "collection": "photos", "id": "2019/p1.png", field: value}
                    self.assertIn(server.get(path, **values).status, (200, 400, 404), (path, field, value))
        for value in [None, True, 7, -1, 1e300, "", [], {}, [[]], ["a", 1], {"a": {"b": []}}]:
            for body in [{"concept": value}, {"concept": "a", "yes": value}, {"concept": "a", "limit": value},
                         {"concept": "a", "collection": value, "no": ["2019/p1.png"]}]:
                self.assertIn(server.ask("POST", "/v1/detect", body=body).status, (200, 400, 404), body)
            self.assertIn(server.ask("POST", DECISIONS, body={"decisions": value}).status, (200, 400), value)
            self.assertIn(server.ask("POST", DECISIONS, body={"decisions": [value]}).status, (200, 400), value)
            self.assertIn(server.ask("POST", "/v1/jobs", body={"task": value}).status, (400,), value)
        self.assertEqual(server.get("/health").status, 200)


if __name__ == "__main__":
    main()
