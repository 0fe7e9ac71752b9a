import { expect, test } from 'vitest';
import type { Model } from '../../api/types';
import { evaluationSentences, modelSentences } from './sentences';

const model = (kind: string, report: Record<string, unknown>): Model => ({
  name: `${kind}.photos`, kind, created: '', options: {}, report, collection: 'photos',
});

test('suggestions are told as people count', () => {
  const held_out = {
    items: 40, newest: true, 'precision@1': 0.79,
    reliability: [{ pairs: 400, confidence: 0.1, right: 0.1 }, { pairs: 30, confidence: 0.88, right: 0.91 }, { pairs: 2, confidence: 0.9, right: 0 }],
  };
  expect(modelSentences(model('suggest', { held_out }))).toEqual([
    '8 of 10 first suggestions are right.', 'When it says 88\u00a0%, it is right 91\u00a0%.',
    'That was found on the 40 newest items, which it had not seen.',
  ]);
  expect(modelSentences(model('suggest', { held_out: { items: 0, 'precision@1': 0 } })))
    .toEqual(['It was not tried on items that it had not seen.']);
});

test('other models say what they reach', () => {
  const held_out = { words: { map: 0.3 }, alone: { map: 0.4 }, borrowed: { map: 0.456 } };
  expect(modelSentences(model('search', { held_out }))[0]).toContain('it reaches 46 of 100 points; words alone reach 30.');
  expect(modelSentences(model('detect', { miap: 0.837, calibration_error: 0.021 }))[1]).toBe('Its confidence is off by 2.1\u00a0% on average.');
  expect(modelSentences(model('relate', { ndcg: 0.5 }))[0]).toContain('50 of 100');
});

test('an evaluation names who is best', () => {
  const result = { methods: [{ method: 'popular', 'precision@1': 0.2 }, { method: 'ours', 'precision@1': 0.6 }] };
  expect(evaluationSentences({ id: 1, verb: 'suggest', collection: 'photos', created: '', result })[0])
    .toBe('ours is best of 2 by precision@1: 0.600. popular has 0.200.');
  expect(evaluationSentences({ id: 1, verb: 'suggest', collection: 'photos', created: '', result: null })).toEqual([]);
});
