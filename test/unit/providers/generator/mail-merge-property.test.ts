import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DOCX_TYPE, docxFile, fileOf, merge, partOf, textIn } from '../../../support/mail-merge.ts';
import { f } from '../../../../src/kernel/declare/field.ts';
import type { TreeNode } from '../../../../src/kernel/door/answer.ts';

/** A template as a tree: what the oracle evaluates without reading any tags. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'section'; readonly name: string; readonly inverted: boolean; readonly parts: readonly Part[] }
  | { readonly kind: 'equal'; readonly name: string; readonly value: string; readonly parts: readonly Part[] };

/** Data as plain objects: text, and lists of objects. */
interface Item {
  readonly [name: string]: string | readonly Item[];
}

const FIELDS = ['A', 'B', 'C'];
const LISTS = ['L', 'M'];
// Letters that are also in names, braces that begin no tag, and characters that markup escapes.
const texts = fc.string({ unit: fc.constantFrom('A', 'L', ' ', '{1}', '}', '<', '&', '"', 'é', '🙂'), maxLength: 6 });

const { part } = fc.letrec<{ part: Part }>((tie) => {
  const parts = fc.array(tie('part'), { maxLength: 4 });
  return {
    part: fc.oneof(
      { maxDepth: 4 },
      fc.record({ kind: fc.constant('text' as const), text: texts }),
      fc.record({ kind: fc.constant('field' as const), name: fc.constantFrom(...FIELDS) }),
      fc.record({
        kind: fc.constant('section' as const),
        name: fc.constantFrom(...FIELDS, ...LISTS),
        inverted: fc.boolean(),
        parts,
      }),
      fc.record({
        kind: fc.constant('equal' as const),
        name: fc.constantFrom(...FIELDS),
        value: fc.constantFrom('x', 'y'),
        parts,
      }),
    ),
  };
});
const templates = fc.array(part, { maxLength: 6 });

const values = fc.constantFrom('', 'x', 'y', '0', '{A}', '<&>');
const { item: items } = fc.letrec<{ item: Item }>((tie) => {
  const lists = fc.array(tie('item'), { maxLength: 3 });
  return {
    item: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.record({ A: values, B: values }, { requiredKeys: [] }) as fc.Arbitrary<Item>,
      fc.record({ A: values, C: values, L: lists, M: lists }, { requiredKeys: ['A'] }) as fc.Arbitrary<Item>,
    ),
  };
});

/** Prints a template with its tags. */
function printed(parts: readonly Part[]): string {
  return parts
    .map((each) => {
      switch (each.kind) {
        case 'text':
          return each.text;
        case 'field':
          return `{${each.name}}`;
        case 'section':
          return `{${each.inverted ? '^' : '#'}${each.name}}${printed(each.parts)}{/${each.name}}`;
        case 'equal':
          return `{#${each.name} = "${each.value}"}${printed(each.parts)}{/}`;
      }
    })
    .join('');
}

/** Evaluates a template slowly: a field is looked up in the innermost item that has it. */
function evaluated(parts: readonly Part[], scopes: readonly Item[]): string {
  return parts.map((each) => evaluatedPart(each, scopes)).join('');
}

function evaluatedPart(each: Part, scopes: readonly Item[]): string {
  if (each.kind === 'text') return each.text;
  const found = scopes.findLast((scope) => Object.hasOwn(scope, each.name))?.[each.name] ?? '';
  if (each.kind === 'field') return typeof found === 'string' ? found : '';
  if (each.kind === 'equal') return found === each.value ? evaluated(each.parts, scopes) : '';
  const isFilled = found.length > 0 && found !== '0';
  if (each.inverted) return isFilled ? '' : evaluated(each.parts, scopes);
  if (typeof found === 'string') return isFilled ? evaluated(each.parts, scopes) : '';
  return found.map((inner) => evaluated(each.parts, [...scopes, inner])).join('');
}

const field = f.text({ doc: 'A value.' });

function treeOf(name: string, item: Item): TreeNode {
  return {
    name,
    children: Object.entries(item).map(([key, value]) =>
      typeof value === 'string'
        ? { name: key, value, field }
        : { name: key, list: true, children: value.map((inner) => treeOf(`${key}Item`, inner)) },
    ),
  };
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Returns a paragraph whose text is split into runs at the positions. */
function paragraph(text: string, splits: readonly number[]): string {
  const signs = Array.from(text);
  const ends = [...new Set(splits.map((at) => at % (signs.length + 1)))].toSorted((a, b) => a - b);
  const runs = [...ends, signs.length].map((end, index) => signs.slice(ends[index - 1] ?? 0, end).join(''));
  return `<w:p>${runs.map((run) => `<w:r><w:t xml:space="preserve">${escaped(run)}</w:t></w:r>`).join('')}</w:p>`;
}

describe('the merge language against a slow evaluation of the same template', () => {
  it('DOC-02 in HTML', async () => {
    await fc.assert(
      fc.asyncProperty(templates, items, async (parts, item) => {
        // The text of a template is markup already; values are escaped.
        const marked = (value: string): string => value.replace(/[&<>]/g, (sign) => `[${sign.charCodeAt(0)}]`);
        const made = await merge(fileOf(Buffer.from(printed(parts)), 'text/html'), treeOf('Item', item));
        const text = Buffer.from(made)
          .toString()
          .replace(/&(lt|gt|amp);/g, (_, name) => marked({ lt: '<', gt: '>', amp: '&' }[name as string] ?? ''));
        assert.equal(text, evaluated(parts, [mapped(item, marked)]));
      }),
      { numRuns: 150 },
    );
  });

  it('DOC-02 in Word documents, wherever the word processor has split the text', async () => {
    await fc.assert(
      fc.asyncProperty(templates, items, fc.array(fc.nat(400), { maxLength: 12 }), async (parts, item, splits) => {
        const file = await docxFile(paragraph(printed(parts), splits));
        assert.equal(file.mime, DOCX_TYPE);
        const body = await partOf(await merge(file, treeOf('Item', item)), 'document');
        const text = textIn(body.replace(/^.*<w:body>|<\/w:body>.*$/gs, ''));
        const unescaped = text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
        assert.equal(unescaped, evaluated(parts, [item]));
      }),
      { numRuns: 150 },
    );
  });
});

function mapped(item: Item, change: (text: string) => string): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'string' ? change(value) : value.map((inner) => mapped(inner, change)),
    ]),
  );
}
