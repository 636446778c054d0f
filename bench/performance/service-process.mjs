// The service in a process of its own, and its handle: how long it takes for a call, and how many calls came.
import { openConnection } from './connection.mjs';
import { postRequest } from './http-messages.mjs';
import { LOAD_CORE, startProcess } from './processes.mjs';

export async function startService() {
  const script = new URL('service.mjs', import.meta.url).pathname;
  const running = await startProcess([script], {
    core: LOAD_CORE,
    environment: process.env.SERVER === undefined ? {} : { SERVER: process.env.SERVER },
    firstRequest: postRequest('/control/calls', 'none', ''),
  });
  const connection = await openConnection(running.port);
  const control = async (path) => {
    const { body } = await connection.ask(postRequest(`/control/${path}`, 'none', ''));
    return JSON.parse(body);
  };
  return {
    url: `http://127.0.0.1:${running.port}`,
    /** How many calls have come so far. */
    calls: async () => (await control('calls')).calls,
    setDelay: (ms) => control(`delay?ms=${ms}`),
    end: running.end,
  };
}
