import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasVisibleText, inertHtml } from '../../../src/lib/chromium/inert-html.ts';
import { replaceSpans } from '../../../src/lib/markup-spans.ts';

const ends = { '<!--': /-->/, '<style': /<\/style\s*>/ };
const blanked = (text: string): string => replaceSpans(text, /<!--|<style\b/, ends, (span) => `[${span.length}]`);

/** Markup that takes hours where each start is followed to the end of the text. */
const REPEATED = 500_000;

describe('replaceSpans', () => {
  it('replaces each span from its start to the first end, whatever the case', () => {
    assert.equal(blanked('a<!--b-->c<STYLE x>d</Style >e<!---->'), 'a[8]c[19]e[7]');
    assert.equal(blanked('<styled>a</style>'), '<styled>a</style>');
  });

  it('leaves a start without an end, and finds others after it', () => {
    assert.equal(blanked('<style><!--a--><!--b'), '<style>[8]<!--b');
    assert.equal(blanked(''), '');
  });
});

describe('HTML of others', () => {
  it('is made inert, however often elements begin that never end', () => {
    const scripts = inertHtml('<script>'.repeat(REPEATED));
    assert.equal(scripts.slice(-'<x-script>'.length * REPEATED), '<x-script>'.repeat(REPEATED));
    assert.match(inertHtml('a<script type="x">b</script >c'), />ac$/);
  });

  it('has visible text or not, however often comments and elements begin that never end', () => {
    for (const start of ['<!--', '<style', '<title>', '<', '&#'])
      assert.equal(typeof hasVisibleText(start.repeat(REPEATED)), 'boolean', start);
    assert.equal(hasVisibleText('<title>a</title><!-- b --><style>c</style><p class="d">&nbsp;</p>'), false);
    assert.equal(hasVisibleText('<p>a</p>'), true);
  });
});
