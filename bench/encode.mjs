// What onnxruntime-node makes of the same batches: node bench/encode.mjs MODULES MODEL BATCHES THREADS
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, model, batches, threads] = process.argv.slice(2);
const ort = createRequire(modules + "/")("onnxruntime-node");
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: Number(threads), interOpNumThreads: 1 });
const work = JSON.parse(readFileSync(batches)).map((batch) => {
  const count = batch.shape.reduce((product, side) => product * side, 1);
  const tensor = (value) => new ort.Tensor("int64", new BigInt64Array(count).fill(BigInt(value)), batch.shape);
  const feeds = {};
  for (const name of session.inputNames)
    feeds[name] = batch.picture
      ? new ort.Tensor("float32", new Float32Array(count).fill(0.5), batch.shape)
      : tensor(name === "token_type_ids" ? 0 : name === "attention_mask" ? 1 : 2003);
  return [feeds, batch.shape[0]];
});
await session.run(work[0][0], [session.outputNames[0]]);
for (let line = 0; line < 3; ++line) {
  const begun = performance.now();
  let done = 0;
  for (const [feeds, count] of work) {
    await session.run(feeds, [session.outputNames[0]]);
    done += count;
  }
  console.log(done / ((performance.now() - begun) / 1000));
}
