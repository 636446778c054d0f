import { describe, expect, test } from 'vitest';
import { clientOf, movableClock, sandboxForTest } from './running-sandbox.ts';

const prompt = { content: 'A line about rain', tone: 'Warm' };
const slowPrompt = { content: 'Slowly, a line about rain', tone: 'Warm' };

describe('the pretended assistant', () => {
  test('composes a text that says so, spends a credit and enters the history', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const { get, post } = clientOf(sandbox);
    const reply = await post('/openai/response', { ...prompt, generatedFrom: 'post', templateUsed: 'Short' });
    expect(reply.at('response')).toMatchObject({
      timeConsuming: false,
      userInput: prompt.content,
      tone: 'Warm',
      templateUsed: 'Short',
      createdOn: '2026-11-20T08:00:00.000Z',
      totalCredit: 179,
    });
    expect(reply.at('response.aiResponse')).toContain('The sandbox made this text, no model was asked.');
    const record = (await get('/openai/historyList')).at('response.list.0');
    expect(record).toMatchObject({
      contentId: reply.at('response.contentId'),
      aiResponse: reply.at('response.aiResponse'),
      createdOn: '20-Nov-2026 08:00 AM',
    });
    expect(record).not.toHaveProperty('timeConsuming');
    expect(sandbox.state.owner('harbour').creditsRemaining).toBe(179);
  });

  test('has no template unless one is named', async () => {
    const { post } = clientOf(await sandboxForTest());
    expect((await post('/openai/response', prompt)).at('response.templateUsed')).toBe('No Template');
  });

  test('refuses when no credit is left', async () => {
    const sandbox = await sandboxForTest();
    sandbox.state.owner('harbour').creditsRemaining = 0;
    expect((await clientOf(sandbox).post('/openai/response', prompt)).status).toBe(400);
  });

  test.each([
    [{ tone: undefined }, 'tone'],
    [{ content: '' }, 'content'],
    [{ generatedFrom: 'Post' }, 'generatedFrom'],
  ])('refuses %j and names the parameter', async (changes, parameter) => {
    const { post } = clientOf(await sandboxForTest());
    const reply = await post('/openai/response', { ...prompt, ...changes });
    expect(reply.status).toBe(400);
    expect(reply.at('message')).toContain(parameter);
  });

  test('lists the newest first, and what is added elsewhere on top', async () => {
    const sandbox = await sandboxForTest();
    const { get } = clientOf(sandbox);
    const before = (await get('/openai/historyList?limit=100')).pluck('contentId');
    const added = sandbox.state
      .owner('harbour')
      .addHistory(2)
      .map((generation) => generation.contentId);
    const after = (await get('/openai/historyList?limit=100')).pluck('contentId');
    expect(before).toHaveLength(12);
    expect(after).toEqual([...added.toReversed(), ...before]);
  });
});

describe('a slow generation', () => {
  test('answers at once without a text, and enters the history when it is done', async () => {
    const timers: (() => void)[] = [];
    const after = (delayMs: number, run: () => void) => {
      if (delayMs === 250) timers.push(run);
      return () => undefined;
    };
    const sandbox = await sandboxForTest({ timers: { after }, slowAiDelayMs: 250 });
    const { get, post } = clientOf(sandbox);
    const reply = await post('/openai/response', slowPrompt);
    const id = reply.at('response.contentId');
    const ids = async () => (await get('/openai/historyList')).pluck('contentId');
    expect(reply.at('response')).toMatchObject({ timeConsuming: true, aiResponse: '', totalCredit: 179 });
    expect(sandbox.generations.pending('harbour').map((generation) => generation.contentId)).toEqual([id]);
    expect(await ids()).not.toContain(id);
    timers.forEach((run) => run());
    expect(await ids()).toContain(id);
    expect(sandbox.generations.pending('harbour')).toEqual([]);
  });

  test('never ends by itself when the prompt says never', async () => {
    const started: number[] = [];
    const after = (delayMs: number) => {
      started.push(delayMs);
      return () => undefined;
    };
    const sandbox = await sandboxForTest({ timers: { after } });
    const { post } = clientOf(sandbox);
    await post('/openai/response', { content: 'SLOWLY, never', tone: 'Warm' });
    expect(started).toEqual([]);
    expect(sandbox.generations.pending('harbour')).toHaveLength(1);
    await post('/openai/response', slowPrompt);
    expect(started).toEqual([3_000]);
  });
});
