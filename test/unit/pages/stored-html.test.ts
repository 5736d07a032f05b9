import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

/** Pages that insert markup as it is, or show it in a frame: what it is, and why it is harmless. */
const known: Readonly<Record<string, string>> = {
  'configure/message-template-page.ts': 'a frame without scripts, with a preview of a template',
  'design/button.ts': 'the name of an attribute, written in code',
  'design/icons.ts': 'the shapes of icons, written in code',
  'editors/matrix-page.ts': 'JSON for a script, with its brackets escaped',
  'messages/message-body.ts': 'a sandboxed frame of message/body, which cleans the HTML',
  'notifications/notification-list.ts': 'the name of an element, written in code',
  'secure/secure-views.ts': 'what securelink/read has cleaned: a text as markup of our own, or a sandboxed frame',
};

it('MSG-15 stored HTML reaches a page only where it is cleaned, or in a frame without scripts', () => {
  const root = new URL('../../../src/surfaces/pages/', import.meta.url);
  const found = globSync('**/*.ts', { cwd: root.pathname, exclude: ['client/**'] }).filter((path) => {
    const text = readFileSync(new URL(path, root), 'utf8');
    return /\{ markup: (?!')/.test(text) || /<iframe|srcdoc/.test(text);
  });
  assert.deepEqual(found.sort(), Object.keys(known).sort());
  for (const path of found) {
    const text = readFileSync(new URL(path, root), 'utf8');
    for (const [frame] of text.matchAll(/<iframe[^>]*>/g)) {
      assert.match(frame, /sandbox="(?![^"]*allow-scripts)[^"]*"/, `${path}: a frame without a sandbox`);
    }
  }
});
