import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { runExample } from './programs.ts';

const PROGRAMS = ['publish.js', 'walk.js', 'live.js', 'apollo.js', 'relay/accounts.js', 'curl.sh'];

test('a program whose key is not accepted says so in a line with the code, and ends with status 1', async () => {
  const graph = await startGraph();
  const environment = { SERVICE_API_KEY: 'wrong' };
  for (const program of PROGRAMS) {
    const { status, stdout, stderr } = await runExample(program, graph.url, { environment });
    expect([program, status]).toEqual([program, 1]);
    const said = stdout + stderr;
    expect(said).toContain('rejected the credential');
    expect(said).toContain('CREDENTIAL_REJECTED');
    // No stack, and no request or response in full.
    expect(said).not.toMatch(/^\s+at |node:internal|"?query"?: /m);
  }
});

test('a program whose graph is not there says so in a line or two, and ends with status 1', async () => {
  for (const program of PROGRAMS) {
    if (program === 'publish.js' || program === 'live.js') continue; // These try again for a while.
    const { status, stdout, stderr } = await runExample(program, 'http://127.0.0.1:1');
    expect([program, status]).toEqual([program, 1]);
    expect(stderr).toMatch(/fetch|ECONNREFUSED|connect/i);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(stdout + stderr).not.toMatch(/^\s+at |node:internal/m);
  }
});
