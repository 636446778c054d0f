import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { runExample } from './programs.ts';

const PROGRAMS = ['publish.js', 'walk.js', 'live.js', 'apollo.js', 'relay/accounts.js', 'curl.sh'];

test('a program whose key is not accepted says so, and ends with status 1', async () => {
  const graph = await startGraph();
  const environment = { SERVICE_API_KEY: 'wrong' };
  for (const program of PROGRAMS) {
    const { status, stdout, stderr } = await runExample(program, graph.url, { environment });
    expect([program, status]).toEqual([program, 1]);
    expect(stdout + stderr).toContain('does not accept the credential');
  }
});
