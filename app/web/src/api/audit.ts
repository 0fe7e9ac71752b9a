/** Requests about tags that are probably wrong, or probably missing. */
import { request, withQuery } from './http';
import type { AuditAnswer, Fault } from './types';

export const audit = (question: { collection: string; kind: Fault; offset: number; limit: number }, signal?: AbortSignal) =>
  request<AuditAnswer>(withQuery('/v1/audit', question), { signal });
