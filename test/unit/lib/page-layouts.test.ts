import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseContent, type LayoutContent } from '../../../src/lib/page-layouts/content.ts';
import { layoutDifferences } from '../../../src/lib/page-layouts/differences.ts';
import { applyEdit, entriesOf, entryName, parseEdit } from '../../../src/lib/page-layouts/edits.ts';

const layout = (header: readonly string[], panels: readonly object[] = []): LayoutContent =>
  parseContent(JSON.stringify({ header, panels, tabs: ['Overview', 'Tasks', 'History'] }));
const names = (content: LayoutContent | undefined, list: string): string[] | undefined =>
  content && entriesOf(content, { list })?.map(entryName);

describe('edits of page layouts', () => {
  it('WEB-05 find an entry by its name after others have moved, and nothing after it has been removed', () => {
    const theirs = layout(['C', 'A', 'B']);
    const from = { list: 'header', at: 0, name: 'A' };
    assert.deepEqual(names(applyEdit(theirs, { verb: 'down', from }), 'header'), ['C', 'B', 'A']);
    assert.deepEqual(names(applyEdit(theirs, { verb: 'remove', from }), 'header'), ['C', 'B']);
    assert.equal(applyEdit(layout(['B']), { verb: 'remove', from }), undefined);
    const panels = [{ title: 'Loan', facts: ['X'] }, { panel: 'Parties' }, { title: 'Sale', facts: ['Y'] }];
    const sale = { list: 'panels/0', title: 'Sale' };
    const moved = applyEdit(layout(['A'], panels), { verb: 'move', from, to: sale, at: 0 });
    assert.deepEqual(names(moved, 'panels/2'), ['A', 'Y'], 'the panel is found by its title');
    assert.deepEqual(names(moved, 'header'), []);
    assert.equal(applyEdit(layout(['A'], panels), { verb: 'move', from, to: { list: 'tabs' }, at: 0 }), undefined);
  });

  it('WEB-05 keep the other entries where a move ends outside of the list', () => {
    const first = { list: 'tabs', at: 0, name: 'Overview' };
    assert.deepEqual(names(applyEdit(layout([]), { verb: 'up', from: first }), 'tabs'), [
      'Overview',
      'Tasks',
      'History',
    ]);
    assert.deepEqual(names(applyEdit(layout([]), { verb: 'move', from: first, to: { list: 'tabs' }, at: 2 }), 'tabs'), [
      'Tasks',
      'History',
      'Overview',
    ]);
  });

  it('WEB-05 are refused if they are none', () => {
    for (const text of [
      '',
      '{',
      '[]',
      '{"verb":"fly"}',
      '{"verb":"up"}',
      '{"verb":"move","from":{"list":"tabs","at":0}}',
    ])
      assert.equal(parseEdit(text), undefined, text);
  });
});

describe('differences of page layouts', () => {
  it('WEB-05 are what was added, removed and moved: of a move the fewest entries', () => {
    const [before, after] = [layout(['A', 'B', 'C', 'D']), layout(['D', 'A', 'C', 'E'])];
    assert.deepEqual(
      layoutDifferences(before, after).map(({ kind, list, name }) => `${list}: ${name} ${kind}`),
      ['Header: D changed', 'Header: E added', 'Header: B removed'],
    );
    assert.deepEqual(layoutDifferences(before, before), []);
  });
});
