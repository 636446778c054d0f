/** Path of the script of the overview page. */
export const SCRIPT_PATH = '/sandbox/overview.js';

/** Sends what the buttons of the overview page hold, and shows the last calls once a second while the page is visible. */
export const OVERVIEW_SCRIPT = `
const happened = document.getElementById('happened');
const calls = document.getElementById('calls');

async function send(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    return await response.json();
  } catch {
    return { message: 'The sandbox cannot be reached.' };
  }
}

document.addEventListener('click', async ({ target }) => {
  const { event, minutes } = target.dataset;
  if (event === undefined) return;
  if (event === 'remove-faults') {
    const { removed, message } = await send('DELETE', '/sandbox/faults');
    happened.textContent = message ?? 'Faults removed: ' + removed + '.';
    return;
  }
  const { owner, loginId } = document.getElementById('account').selectedOptions[0].dataset;
  const body = minutes === undefined ? { kind: event, owner } : { kind: event, minutes: Number(minutes) };
  if (target.dataset.of === 'account') body.loginId = Number(loginId);
  happened.textContent = (await send('POST', '/sandbox/events', body)).message;
});

function rowOf({ at, owner, call, status, fault }) {
  const row = document.createElement('tr');
  for (const text of [at.slice(11, 19), owner ?? '', call, status ?? '–', fault ?? '']) {
    row.append(Object.assign(document.createElement('td'), { textContent: text }));
  }
  return row;
}

async function showCalls() {
  if (document.hidden) return;
  const answer = await send('GET', '/sandbox/calls');
  if (answer.calls) calls.replaceChildren(...answer.calls.map(rowOf));
}

document.addEventListener('visibilitychange', showCalls);
setInterval(showCalls, 1000);
showCalls();
`;
