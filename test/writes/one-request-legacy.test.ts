import { describe } from 'vitest';
import { testThatEachIsSentOnce } from '../support/one-request.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';

describe('a call of the legacy surface with an effect is sent once', () => {
  testThatEachIsSentOnce(WRITE_CALLS.filter(({ endpoint }) => endpoint.includes(' /oauth/')));
});
