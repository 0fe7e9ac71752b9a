import type { Evaluation, Model, ReliabilityBin, ReviewEffect, TransferResult } from '../../api/types';
import { bestOfEach, comparisons, isSetting, reliabilityOf } from '../../components/measures';
import { number, percent, words } from '../../format';
import { t } from '../../words/say';

/** The bin that speaks for how honest the confidence is: of enough pairs, about what people call sure. */
function tellingBin(bins: ReliabilityBin[]): ReliabilityBin | undefined {
  const most = Math.max(0, ...bins.map((each) => each.pairs));
  return bins
    .filter((each) => each.pairs >= Math.min(20, most))
    .sort((a, b) => Math.abs(a.confidence - 0.9) - Math.abs(b.confidence - 0.9))[0];
}

function honesty(bins: ReliabilityBin[] | undefined): string[] {
  const bin = bins && tellingBin(bins);
  return bin ? [t('When it says {said}, it is right {right}.', { said: percent(bin.confidence), right: percent(bin.right) })] : [];
}

const points = (share: number) => Math.round(100 * share);

type HeldOut = NonNullable<ReviewEffect['held_out']>;
interface Report {
  held_out?: Partial<HeldOut> & { words?: { map: number }; borrowed?: { map: number } };
  miap?: number;
  ndcg?: number;
  calibration_error?: number;
}

/** What a model's report says, for people. */
export function modelSentences(model: Model): string[] {
  const report = model.report as Report;
  const held = report.held_out;
  const first = held?.['precision@1'];
  if (model.kind === 'suggest' && held?.items && first !== undefined) {
    return [
      t('{right} of 10 first suggestions are right.', { right: Math.round(10 * first) }),
      ...honesty(held.reliability),
      held.newest ? t('That was found on the {n} newest items, which it had not seen.', { n: held.items })
        : t('That was found on {n} items that it had not seen.', { n: held.items }),
    ];
  }
  if (model.kind === 'search' && held?.borrowed && held.words) {
    return [t('Asked for tags that were hidden, it reaches {all} of 100 points; words alone reach {words}.',
      { all: points(held.borrowed.map), words: points(held.words.map) })];
  }
  if (model.kind === 'detect' && report.miap !== undefined) {
    return [
      t('Ranking items that it had not seen by a concept, it reaches {n} of 100 points.', { n: points(report.miap) }),
      ...(report.calibration_error === undefined ? []
        : [t('Its confidence is off by {error} on average.', { error: percent(report.calibration_error, 1) })]),
    ];
  }
  if (model.kind === 'relate' && report.ndcg !== undefined) {
    return [t('Asked for what was hidden, it reaches {n} of 100 points.', { n: points(report.ndcg) })];
  }
  if (model.kind === 'transfer') {
    const { sure, mean_probability } = model.report as unknown as TransferResult;
    return [t('It is sure enough of {n} items; on average it says {said}.', { n: sure, said: percent(mean_probability) })];
  }
  return [t('It was not tried on items that it had not seen.')];
}

/** What a comparison of methods says, for people: who is best at what matters most. */
export function evaluationSentences(evaluation: Evaluation): string[] {
  const [found] = comparisons(evaluation.result);
  const measure = found?.columns.find((each) => !isSetting(each));
  if (!found || measure === undefined) return [];
  const [best, next] = bestOfEach(found, measure);
  if (!best) return [];
  const value = number(best.measure.value);
  const methods = (evaluation.result as { methods?: unknown[] }).methods ?? [];
  return [
    next ? t('{best} is best of {n} by {measure}: {value}. {next} has {other}.', {
      best: best.method, n: new Set(found.rows.map((each) => each.method)).size, measure: words(measure), value,
      next: next.method, other: number(next.measure.value),
    }) : t('{best} has {value} by {measure}.', { best: best.method, value, measure: words(measure) }),
    ...honesty(reliabilityOf(methods.find((each) => reliabilityOf(each)))),
  ];
}
