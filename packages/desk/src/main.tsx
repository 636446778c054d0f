import './desk.css';
import { render } from 'preact';
import { App } from './parts/app.tsx';
import { listenForShortcuts } from './shortcuts.ts';

const root = document.getElementById('desk');
if (root === null) throw new Error('the page has no element desk');
root.replaceChildren();
render(<App />, root);
listenForShortcuts();
