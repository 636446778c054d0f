import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { Generation, Owner } from '../../data/model.ts';
import { Refusal } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeed } from '../../wire/envelope.ts';
import { generationResult, historyRecord, pendingResult } from '../../wire/generation.ts';
import { readBody } from '../body.ts';
import { listResponse, takePage } from '../paging.ts';
import { generateBody } from './request-bodies.ts';

/** GET /openai/historyList and POST /openai/response. */
export function openaiRoutes(service: Service): Routes {
  const { quirks, generations } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.get('/openai/historyList', requireKey(service), (c) => {
    const owner = c.get('owner');
    const records = shownHistory(owner, service);
    const page = takePage(records, (name) => c.req.query(name), quirks);
    return succeed(
      listResponse(page, (record) => historyRecord(record, owner, quirks)),
      'History listed.',
    );
  });

  routes.post('/openai/response', requireKey(service), async (c) => {
    const owner = c.get('owner');
    const body = await readBody(c, generateBody);
    if (owner.creditsRemaining < 1) throw new Refusal(400, 'No AI credit is left.');
    const { generation, pending } = generations.start(owner, {
      content: body.content,
      tone: body.tone,
      generatedFrom: body.generatedFrom ?? 'post',
      templateUsed: body.templateUsed ?? 'No Template',
    });
    return pending
      ? succeed(pendingResult(generation, owner), 'The response comes through the socket.')
      : succeed(generationResult(generation, owner, false), 'Response generated.');
  });

  return routes;
}

function shownHistory(owner: Owner, { quirks, generations }: Service): Generation[] {
  const unfinished = quirks.pendingInHistory
    ? generations.pending(owner).map((generation) => ({ ...generation, aiResponse: '' }))
    : [];
  const oldestFirst = [...owner.history, ...unfinished].toSorted((a, b) => a.createdAt - b.createdAt);
  return quirks.historyOrder === 'newest-first' ? oldestFirst.toReversed() : oldestFirst;
}
