import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TreeNode } from '../../../../src/kernel/door/answer.ts';
import type { Field } from '../../../../src/kernel/declare/field-types.ts';
import { f } from '../../../../src/kernel/declare/field.ts';
import { reportHtml } from '../../../../src/providers/generator/pdf/report-html.ts';

const writing = { locale: 'en-US', timeZone: 'America/New_York', currency: 'USD', now: '2026-03-10T03:30:00.000Z' };
const leaf = (name: string, value: unknown, field: Field = f.text({ doc: name })): TreeNode => ({ name, value, field });
const id = (name: string, value: number, to?: string): TreeNode =>
  leaf(name, value, f.id({ doc: name, ...(to === undefined ? {} : { to }) }));

const task = (n: number): TreeNode => ({
  name: 'ImportFormItem',
  children: [
    id('ImportFormID', n),
    leaf('ImportForm', `Task ${n}`, f.text({ doc: 'A name.', label: 'Task' })),
    leaf('Object', 'Foreclosure'),
    id('ObjectID', 5),
    id('AssignedPersonID', 99, 'Person'),
    leaf('ActualCompletion', '2026-02-25T17:25:00.000Z', f.timestamp({ doc: 'A time.', label: 'Completed' })),
    leaf('CreatedDate', '2026-02-01T17:25:00.000Z', f.timestamp({ doc: 'A time.', label: 'Created' })),
    leaf('Answers', `${'word '.repeat(30)}end`),
  ],
});

const tree: TreeNode = {
  name: 'ForeclosureItem',
  children: [
    leaf('Foreclosure', 'A-1 <b>'),
    id('ForeclosureID', 5),
    id('LoanID', 126, 'Loan'),
    id('OrganizationID', 7, 'Organization'),
    leaf('DateOpened', '2026-02-06', f.date({ doc: 'A day.', label: 'Opened' })),
    leaf('Version', 3, f.integer({ doc: 'A number.', label: 'Changes' })),
    {
      name: 'Loan',
      children: [
        id('LoanID', 126),
        leaf('Loan', '415000685'),
        leaf('UPBAmount', '391809.77', f.money({ doc: 'An amount.', label: 'Unpaid balance' })),
        {
          name: 'Borrowers',
          list: true,
          children: [
            {
              name: 'ContactItem',
              children: [id('ContactID', 1), leaf('Contact', 'Ng, Ann', f.text({ doc: 'A name.', label: 'Contact' }))],
            },
          ],
        },
        { name: 'SourceOrganization', children: [id('OrganizationID', 7), leaf('Organization', 'Alder Law')] },
      ],
    },
    { name: 'ImportForms', list: true, children: [task(1), task(2)] },
    { name: 'Forms', list: true, children: [task(1), task(2)] },
    {
      name: 'Attachments',
      list: true,
      children: [
        {
          name: 'AttachmentItem',
          children: [
            id('AttachmentID', 9),
            leaf('Attachment', 'x'.repeat(50)),
            leaf('FileHash', 'b2c009054ca5d0fa'),
            leaf('CreatedDate', '2026-02-01T17:25:00.000Z', f.timestamp({ doc: 'A time.', label: 'Created' })),
          ],
        },
      ],
    },
    { name: 'Messages', list: true, children: [] },
    {
      name: 'ImportFiles',
      list: true,
      children: [{ name: 'ImportFileItem', children: [leaf('ImportFile', 'a.xml')] }],
    },
  ],
};

/** Returns the report as text, a line for each heading and row, `|` between cells. */
function textOf(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<wbr>/g, '')
    .replace(/<\/t[dh]>(?=<t)/g, '|')
    .replace(/<\/(?:tr|h1|h2|p|title)>/g, '\n')
    .replace(/<[^>]*>/g, '');
}

describe('the report of a PDF generator without template', () => {
  const html = reportHtml(tree, writing);
  const text = textOf(html);

  it('DOC-02 has the name of the record as its title, and the day', () => {
    assert.match(text, /^Foreclosure A-1 &lt;b&gt;\nForeclosure A-1 &lt;b&gt;\nMarch 9, 2026\n/);
  });

  it('DOC-02 shows the names of linked records, wherever they are in the data, and no number without a name', () => {
    assert.match(text, /^Loan\|415000685$/m);
    assert.match(text, /^Organization\|Alder Law$/m);
    assert.doesNotMatch(text, /\b(?:126|99)\b/);
  });

  it('DOC-02 formats dates and amounts, and leaves out what only the platform uses', () => {
    assert.match(text, /^Opened\|February 6, 2026$/m);
    assert.match(text, /^Unpaid balance\|\$391,809\.77$/m);
    assert.doesNotMatch(text, /Changes|b2c009054ca5d0fa|a\.xml|Import files/);
  });

  it('DOC-02 shows a collection once, under the name that people use, with the head on each page', () => {
    assert.deepEqual(text.match(/^(?:Tasks|Forms|Import forms|Borrowers|Contacts|Messages)$/gm), [
      'Borrowers',
      'Tasks',
      'Messages',
    ]);
    assert.match(text, /^Task\|Completed\nTask 1\|Feb 25, 2026$/m);
    assert.match(html, /thead\{display:table-header-group\}/);
  });

  it('DOC-02 puts long values in a line below their row, and lets long words break', () => {
    assert.match(text, /^Answers: (?:word )+end$/m);
    assert.match(html, /x{18}<wbr>x{18}<wbr>x{14}/);
  });
});
