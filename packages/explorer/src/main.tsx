import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './explorer.css';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import type { ExplorerOptions } from './options.ts';
import { createFetcher } from './fetcher.ts';
import { createFreshKeys, ShownKeys } from './fresh-keys.ts';
import { textOfHeaders } from './headers.ts';
import { EditorOptions, VariablesHint } from './editors.tsx';
import { createFollow } from './live.ts';
import { createLiveStatus } from './live-status.ts';
import { openingOf } from './opening.ts';
import { CarriedHeaders, HISTORY, HistoryWriter, LiveNotice, Logo, SchemaNotice } from './panels.tsx';
import { openStorage, takeHandover } from './storage.ts';

const options = JSON.parse(elementOf('options').textContent) as ExplorerOptions;
const opening = openingOf(options, new URL(location.href), takeHandover());
// The text is in a tab from now on; a reload is not to open it once more.
if (location.search + location.hash !== '') history.replaceState(null, '', location.pathname);

const headers = textOfHeaders(opening.headers);
const status = createLiveStatus();
const endpoint = new URL(options.endpoint, location.href);
const follow = createFollow(endpoint.href.replace(/^http/, 'ws'), status);
const keys = createFreshKeys();
const first = opening.first && {
  initialQuery: opening.first.query,
  initialVariables: opening.first.variables,
};

createRoot(elementOf('explorer')).render(
  <GraphiQL
    fetcher={createFetcher(endpoint, { follow, keys }, opening.headers.values)}
    // Null makes it remember nothing; only its type lacks that.
    storage={openStorage(options.edition) as Storage}
    {...first}
    defaultTabs={[...opening.tabs]}
    defaultHeaders={headers}
    defaultEditorToolsVisibility={opening.showsHeaders && 'headers'}
    shouldPersistHeaders={false}
    plugins={[HISTORY]}
    schemaDescription
    inputValueDeprecation
  >
    <GraphiQL.Logo>
      <Logo desk={options.desk} />
    </GraphiQL.Logo>
    <GraphiQL.Footer>
      <LiveNotice status={status} />
      <SchemaNotice />
    </GraphiQL.Footer>
    <HistoryWriter />
    <EditorOptions />
    <VariablesHint />
    <ShownKeys keys={keys} />
    {opening.headers.toFillIn && <CarriedHeaders toFillIn={headers} />}
  </GraphiQL>,
);

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
