import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { parseXml, walkXml, writeXml, type XmlElement } from '../../../src/kernel/xml/element.ts';
import { compileSchema, documentationOf } from '../../../src/kernel/xml/schema.ts';
import { readReferral } from '../../../src/modules/imports/import/lib/read-referral.ts';
import {
  crossChecks,
  findReferralOperation,
  referralOperations,
  schemaFor,
  servedSchema,
  type ReferralOperation,
} from '../../../src/modules/imports/import/lib/referral-schemas.ts';

const settings = { investorName: 'INVESTOR' };
const operations = Object.keys(referralOperations) as ReferralOperation[];
const cases = ['Foreclosure', 'POC', 'MFR'] as const;

/** Returns all faults of a document in the two stages of a submission. */
function faults(operation: ReferralOperation, root: XmlElement | string): string[] {
  const text = typeof root === 'string' ? root : writeXml(root);
  const issues = schemaFor(operation, settings).validate(Buffer.from(text));
  return [...issues, ...crossChecks(parseXml(text))].map((issue) => `${issue.path}: ${issue.message}`);
}

function accepts(operation: ReferralOperation, root: XmlElement | string, why = ''): void {
  assert.deepEqual(faults(operation, root), [], why);
}

function refuses(operation: ReferralOperation, root: XmlElement | string, mentions: string, why = ''): void {
  const found = faults(operation, root);
  assert.ok(
    found.some((text) => text.includes(mentions)),
    `${why}: ${mentions} is not mentioned in ${JSON.stringify(found)}`,
  );
}

/**
 * Returns the tree with the element at the path replaced. The path is names; each means the first child of that name.
 */
function change(
  root: XmlElement,
  path: readonly string[],
  to: (element: XmlElement) => readonly XmlElement[],
): XmlElement {
  const [head, ...rest] = path;
  const at = root.children.findIndex((child) => child.name === head);
  const child = root.children[at];
  assert.ok(child, `${path.join('/')} is not in ${root.name}`);
  return {
    ...root,
    children: root.children.toSpliced(at, 1, ...(rest.length === 0 ? to(child) : [change(child, rest, to)])),
  };
}

const withText = (root: XmlElement, path: readonly string[], text: string): XmlElement =>
  change(root, path, (element) => [{ ...element, text, children: [] }]);
const without = (root: XmlElement, path: readonly string[]): XmlElement => change(root, path, () => []);

type Row = readonly [
  path: string,
  required: 'Y' | 'N',
  type: 'Node' | 'Text' | 'Date' | 'Money' | 'Int' | readonly string[],
  max: number | undefined,
  sample: string,
];

const LOAN = 'Loan/Borrowers/BorrowerItem';
/** The specification's table, row by row, in order, with a valid value for each. */
const table: readonly Row[] = [
  ['SubscriberID', 'N', 'Text', 255, 'https://a.example-Foreclosure-1'],
  ['Loan', 'Y', 'Node', undefined, ''],
  ['Loan/Agency', 'Y', ['INVESTOR'], undefined, 'INVESTOR'],
  ['Loan/Loan', 'Y', 'Text', 9, '400000001'],
  ['Loan/Property_Address', 'N', 'Text', 100, '1 Elm Way'],
  ['Loan/Property_City', 'N', 'Text', 50, 'Fairhollow'],
  ['Loan/Property_PostalCode', 'N', 'Text', undefined, '12345-6789'],
  ['Loan/ServicerLoanID', 'Y', 'Text', 100, 'S1'],
  ['Loan/LoanType', 'N', ['Conventional', 'FHA', 'VA', 'USDA'], undefined, 'FHA'],
  ['Loan/OriginalBalance', 'Y', 'Money', undefined, '100000.00'],
  ['Loan/UPBAmount', 'Y', 'Money', undefined, '90000'],
  ['Loan/LienPriorityType', 'N', ['1', '2'], undefined, '1'],
  ['Loan/PublicRecords', 'N', 'Node', undefined, ''],
  ['Loan/PublicRecords/PublicRecordItem', 'Y', 'Node', undefined, ''],
  [
    'Loan/PublicRecords/PublicRecordItem/PublicRecord',
    'Y',
    ['Mortgage Deed of Trust'],
    undefined,
    'Mortgage Deed of Trust',
  ],
  ['Loan/PublicRecords/PublicRecordItem/FilingDate', 'N', 'Date', undefined, '2015-01-02'],
  ['Loan/PublicRecords/PublicRecordItem/RecordingDate', 'N', 'Date', undefined, '2015-01-03'],
  ['Loan/Borrowers', 'Y', 'Node', undefined, ''],
  [LOAN, 'Y', 'Node', undefined, ''],
  [`${LOAN}/LastName`, 'Y', 'Text', 49, 'B'],
  [`${LOAN}/FirstName`, 'Y', 'Text', 49, 'A'],
  [`${LOAN}/BorrowerType`, 'Y', ['Primary', 'Secondary'], undefined, 'Primary'],
  [`${LOAN}/USSSN`, 'N', 'Text', 11, '900-12-3456'],
  [`${LOAN}/Address`, 'N', 'Text', 50, '1 Elm Way'],
  [`${LOAN}/City`, 'N', 'Text', 50, 'Fairhollow'],
  [`${LOAN}/State`, 'N', 'Text', 2, 'NY'],
  [`${LOAN}/PostalCode`, 'N', 'Text', 10, '12345'],
  [`${LOAN}/Sequence`, 'Y', 'Int', undefined, '1'],
  ['Foreclosure', 'Y', 'Text', 50, 'F-1'],
  ['DateOpened', 'Y', 'Date', undefined, '2024-01-02'],
  ['Status', 'Y', ['Open', 'On Hold', 'Closed'], undefined, 'Open'],
  ['ProcessType', 'N', ['Judicial', 'Non Judicial', 'Home Equity', 'Co-op'], undefined, 'Judicial'],
  ['SaleAmount', 'N', 'Money', undefined, '1'],
  [
    'SoldToName',
    'N',
    ['Back to Beneficiary', 'Third Party', 'Reverted to Senior', 'Undisclosed'],
    undefined,
    'Undisclosed',
  ],
  ['ScheduledSaleDate', 'N', 'Date', undefined, '2024-05-01'],
  ['RedemptionDate', 'N', 'Date', undefined, '2024-06-01'],
  ['DeficiencyStatus', 'N', ['Waived', 'Preserved'], undefined, 'Waived'],
  ['RedemptionAmount', 'N', 'Money', undefined, '2'],
  ['TotalDebtLedger', 'N', 'Node', undefined, ''],
  ['Delays', 'N', 'Node', undefined, ''],
  ['Forms', 'N', 'Node', undefined, ''],
  ['Messages', 'N', 'Node', undefined, ''],
  ['Attachments', 'N', 'Node', undefined, ''],
  ['OpeningBidAmount', 'N', 'Money', undefined, '3.5'],
];

const inner: Readonly<Record<string, string>> = {
  TotalDebtLedger:
    '<Template>Total ' +
    'Debt</Template><Items><PendingAdvances>5</PendingAdvances><AccruedLateCharges>1.25</AccruedLateCharges>' +
    '<FCFeesCosts><Items><ForeclosureFee>100</ForeclosureFee></Items></FCFeesCosts></Items>',
  Delays:
    '<DecisionDelayItem><Template>T</Template><ReasonDetail>R</ReasonDetail><ActualStart>2024-01-01</ActualStart>' +
    '<ProjectedCompletion>2024-02-01</ProjectedCompletion>' +
    '<ActualCompletion>2024-03-01</ActualCompletion></DecisionDelayItem>',
  Forms:
    '<ImportFormItem><Template>T</Template><ProjectedCompletion>2024-01-01</ProjectedCompletion>' +
    '<ActualCompletion>2024-01-02</ActualCompletion><Messages_0_Message>M</Messages_0_Message>' +
    '<Messages_0_BodyText>B</Messages_0_BodyText></ImportFormItem>',
  Messages: '<MessageItem><Template>T</Template><Message>M</Message><BodyText>B</BodyText></MessageItem>',
  Attachments:
    '<AttachmentItem><FileName>a.pdf</FileName><Template>T</Template><Description>D</Description><Content>' +
    '<![CDATA[QUJD]]></Content></AttachmentItem>',
};

/** A referral with every element of the table. */
function complete(): XmlElement {
  const text = (prefix: string): string =>
    table
      .filter(([path]) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
      .map(([path, , , , sample]) => {
        const name = path.slice(prefix.length);
        return `<${name}>${inner[name] ?? (text(`${path}/`) || sample)}</${name}>`;
      })
      .join('\n');
  return parseXml(`<ImportCollection><ForeclosureItem>${text('')}</ForeclosureItem></ImportCollection>`);
}

const whole = complete();
const pathOf = (path: string): string[] => ['ForeclosureItem', ...path.split('/')];

const goodDates = [
  '2024-02-29',
  '2024-02-29T23:59:59',
  '2024-02-29T00:00:00+05:30',
  '2024-02-29T00:00:00-08:00',
  '2024-02-29T00:00:00Z',
];
const badDates = [
  '1980-02-30',
  '2023-02-29',
  '2024-13-01',
  '2024-2-1',
  '02/29/2024',
  '2024-02-29Z',
  '2024-02-29T25:00:00',
  '2024-02-29T24:00:00',
  '2024-02-29T00:00',
  '2024-02-29 00:00:00',
  '2024-02-29T00:00:00.5',
  '2024-02-29T00:00:00+5',
  'soon',
];

describe('the Foreclosure table', () => {
  it('REF-03 accepts a referral with every element, and one with only the required ones', () => {
    accepts('Foreclosure', whole);
    let least = whole;
    for (const [path, required] of table) {
      if (required === 'N' && (!path.includes('/') || !path.startsWith('Loan/PublicRecords/')))
        least = without(least, pathOf(path));
    }
    accepts('Foreclosure', least);
  });

  it('REF-03 refuses each required element when it is missing or empty, and accepts every other one as optional', () => {
    for (const [path, required, type] of table) {
      const name = path.split('/').at(-1) ?? '';
      if (required === 'N') accepts('Foreclosure', without(whole, pathOf(path)), path);
      else refuses('Foreclosure', without(whole, pathOf(path)), name, `${path} missing`);
      if (required === 'Y') refuses('Foreclosure', withText(whole, pathOf(path), ''), name, `${path} empty`);
      else if (type === 'Text' && path !== 'SubscriberID')
        accepts('Foreclosure', withText(whole, pathOf(path), ''), `${path} empty`);
    }
    // An empty external ID is a sender's mistake: read as none, the next submission would not find the case.
    refuses('Foreclosure', withText(whole, pathOf('SubscriberID'), ' '), 'SubscriberID is empty');
  });

  it('REF-03 accepts each text up to its maximum, counted in characters, and refuses one more', () => {
    for (const [path, , type, max] of table) {
      if (type !== 'Text' || max === undefined) continue;
      for (const letter of ['x', 'é', '\u{1f3e0}'])
        accepts('Foreclosure', withText(whole, pathOf(path), letter.repeat(max)), path);
      refuses('Foreclosure', withText(whole, pathOf(path), 'x'.repeat(max + 1)), 'at most', path);
    }
    for (const good of ['12345', '12345-6789'])
      accepts('Foreclosure', withText(whole, pathOf('Loan/Property_PostalCode'), good));
    for (const bad of ['1234', '123456', '12345-678', 'ABCDE', '12345-67890'])
      refuses('Foreclosure', withText(whole, pathOf('Loan/Property_PostalCode'), bad), 'Property_PostalCode');
  });

  it('REF-03 accepts each value of each enumeration and no other', () => {
    for (const [path, , type] of table) {
      if (typeof type === 'string') continue;
      for (const value of type) accepts('Foreclosure', withText(whole, pathOf(path), value), path);
      const first = type[0] ?? '';
      const wrong = path.endsWith('LienPriorityType')
        ? ['', '0', '3', '1x']
        : ['', first.toLowerCase(), `${first} `, `${first}x`];
      for (const bad of wrong) {
        refuses('Foreclosure', withText(whole, pathOf(path), bad), path.split('/').at(-1) ?? '', `${path}=${bad}`);
      }
    }
    refuses(
      'Foreclosure',
      withText(whole, pathOf('Loan/LienPriorityType'), '3'),
      'LienPriorityType is "3"; expected at most 2',
    );
  });

  it('REF-03 accepts all five formats of a date, and only dates that exist', () => {
    for (const [path, , type] of table) {
      if (type !== 'Date') continue;
      for (const good of goodDates) accepts('Foreclosure', withText(whole, pathOf(path), good), `${path}=${good}`);
      for (const bad of badDates) refuses('Foreclosure', withText(whole, pathOf(path), bad), `"${bad}"`, path);
      refuses('Foreclosure', withText(whole, pathOf(path), ''), 'empty', path);
    }
  });

  it('REF-03 accepts amounts as decimals and integers as integers', () => {
    for (const [path, , type] of table) {
      if (type !== 'Money' && type !== 'Int') continue;
      const good =
        type === 'Money' ? ['0', '-1.5', '1250.00', '1250.1234', '12345678901234.00'] : ['0', '7', '2147483647'];
      const bad =
        type === 'Money'
          ? ['', '1,250.00', '$5', '1e3', '1.23456', 'NaN', '12 5']
          : ['', '1.5', 'x', '-1', '2147483648'];
      for (const value of good) accepts('Foreclosure', withText(whole, pathOf(path), value), `${path}=${value}`);
      for (const value of bad)
        refuses('Foreclosure', withText(whole, pathOf(path), value), path.split('/').at(-1) ?? '', `${path}=${value}`);
    }
  });

  it('REF-03 REF-07 refuses any two neighbors in the other order, and any element twice', () => {
    walkXml(whole, (element, path) => {
      if (element.name === 'Items' || path === '/ImportCollection') return element.name !== 'Items';
      for (let at = 0; at < element.children.length; at++) {
        const child = element.children[at] as XmlElement;
        const next = element.children[at + 1];
        const steps = path
          .replace(/^\/ImportCollection\/?/, '')
          .split('/')
          .filter((step) => step !== '');
        if (next) {
          const swapped = change(whole, steps, (found) => [
            { ...found, children: found.children.toSpliced(at, 2, next, child) },
          ]);
          refuses('Foreclosure', swapped, 'does not belong here', `${path}: ${next.name} before ${child.name}`);
        }
        if (child.name.endsWith('Item')) continue;
        const twice = change(whole, steps, (found) => [{ ...found, children: found.children.toSpliced(at, 0, child) }]);
        refuses('Foreclosure', twice, 'does not belong here', `${path}/${child.name} twice`);
      }
      return true;
    });
  });

  it('REF-03 accepts LastName and FirstName of at most 50 characters together', () => {
    const named = (last: string, first: string): XmlElement =>
      withText(withText(whole, pathOf(`${LOAN}/LastName`), last), pathOf(`${LOAN}/FirstName`), first);
    accepts('Foreclosure', named('é'.repeat(25), '\u{1f3e0}'.repeat(25)));
    refuses(
      'Foreclosure',
      named('x'.repeat(25), 'y'.repeat(26)),
      '/ImportCollection/ForeclosureItem/Loan/Borrowers/BorrowerItem: LastName and FirstName of BorrowerItem ' +
        'have 51 characters together; expected at most 50.',
    );
    refuses('Foreclosure', named('x'.repeat(51), 'y'), 'expected at most 50');
  });

  it('REF-22 accepts several items, and none', () => {
    accepts('Foreclosure', { ...whole, children: [...whole.children, ...whole.children] });
    refuses('Foreclosure', { ...whole, children: [] }, 'expected ForeclosureItem');
  });
});

describe('all nine schemas', () => {
  it('REF-05 are served as self-contained documents, name the investor and document every element', () => {
    for (const operation of operations) {
      const served = servedSchema(operation, { investorName: 'First & "Second" $1 Trust' });
      assert.ok(!served.includes('include') && !served.includes('{InvestorName}'), operation);
      compileSchema({ name: 'served.xsd', files: { 'served.xsd': served } });
      let agencies = 0;
      walkXml(parseXml(served), (element, path, parent) => {
        if (element.attributes['value'] === 'First & "Second" $1 Trust') agencies++;
        const declared =
          ['xs:element', 'xs:attribute', 'xs:simpleType', 'xs:complexType', 'xs:group', 'xs:attributeGroup'].includes(
            element.name,
          ) && element.attributes['name'] !== undefined;
        if (declared)
          assert.ok(
            (documentationOf(element) ?? '').length > 3 || parent?.name === 'xs:schema',
            `${operation} ${path} ${element.attributes['name']}`,
          );
        if (element.name === 'xs:element')
          assert.match(
            documentationOf(element) ?? '',
            /^[A-Z0-9].*[^.]$/,
            `${operation} ${element.attributes['name']}`,
          );
      });
      assert.equal(agencies, 1, operation);
    }
  });

  it('REF-05 judge like the served ones, which have the base64 type', () => {
    const served = compileSchema({
      name: 'served.xsd',
      files: { 'served.xsd': servedSchema('Foreclosure', settings) },
    });
    assert.deepEqual(served.validate(Buffer.from(writeXml(whole))), []);
    assert.equal(served.validate(Buffer.from(writeXml(withText(whole, pathOf('Status'), 'x')))).length, 1);
  });

  it('REF-01 are found by the operation, regardless of case and spaces', () => {
    assert.deepEqual(operations.length, 9);
    assert.equal(findReferralOperation('foreclosure update'), 'ForeclosureUpdate');
    assert.equal(findReferralOperation('IMPORTFORM'), 'ImportForm');
    for (const name of ['eviction', 'closing', 'result', '']) assert.equal(findReferralOperation(name), undefined);
    assert.equal(schemaFor('POC', settings), schemaFor('POC', { ...settings }));
    assert.notEqual(schemaFor('POC', settings), schemaFor('POC', { investorName: 'Other' }));
  });

  it('REF-20 refuse a Reference over 50 characters on the collection and on every item', () => {
    for (const operation of operations) {
      const root = examples[operation];
      walkXml(root, (element, path) => {
        if (element.name !== 'ImportCollection' && !element.name.endsWith('Item')) return;
        const steps = path.split('/').slice(2);
        const marked = (reference: string): XmlElement => {
          const set = (found: XmlElement): XmlElement => ({ ...found, attributes: { Reference: reference } });
          return steps.length === 0 ? set(root) : change(root, steps, (found) => [set(found)]);
        };
        accepts(operation, marked('r'.repeat(50)), path);
        refuses(operation, marked('r'.repeat(51)), `${path}/@Reference: The attribute Reference`, path);
      });
    }
  });

  it('REF-04 refuse DateClosed and ClosedReason anywhere on a new referral, and accept them on an update', () => {
    for (const process of cases) {
      const root = examples[process];
      const item = root.children[0] as XmlElement;
      for (const name of ['DateClosed', 'ClosedReason']) {
        for (let at = 0; at <= item.children.length; at++) {
          const extra = {
            name,
            attributes: {},
            children: [],
            text: name === 'DateClosed' ? '2024-01-01' : 'Reinstated',
            line: 0,
          };
          refuses(
            process,
            { ...root, children: [{ ...item, children: item.children.toSpliced(at, 0, extra) }] },
            `${name} does not belong here`,
          );
        }
      }
      accepts(
        `${process}Update`,
        `<ImportCollection><${process}Item><SubscriberID>a</SubscriberID><Status>Closed</Status>` +
          `<DateClosed>2024-01-01</DateClosed><ClosedReason>Reinstated</ClosedReason></${process}Item>` +
          '</ImportCollection>',
      );
      // Whether both are present is judged with the record, as an Error of that record.
      accepts(
        `${process}Update`,
        `<ImportCollection><${process}Item><SubscriberID>a</SubscriberID><Status>Closed</Status></${process}Item>` +
          '</ImportCollection>',
      );
    }
  });

  it('REF-08 bind an update by SubscriberID alone, or by Loan/Agency, Loan/Loan and the Attorney Case ID', () => {
    for (const process of cases) {
      const update = (inside: string): string =>
        `<ImportCollection><${process}Item>${inside}</${process}Item></ImportCollection>`;
      const id = `<${process}>C-1</${process}>`;
      const operation = `${process}Update` as const;
      accepts(operation, update('<SubscriberID>a</SubscriberID>'));
      accepts(operation, update(`<SubscriberID>a</SubscriberID><Loan><UPBAmount>5</UPBAmount></Loan>${id}`));
      accepts(operation, update(`<Loan><Agency>INVESTOR</Agency><Loan>1</Loan></Loan>${id}<Status>Open</Status>`));
      refuses(operation, update('<Status>Open</Status>'), 'expected SubscriberID or Loan');
      refuses(
        operation,
        update('<Loan><Agency>INVESTOR</Agency><Loan>1</Loan></Loan><Status>Open</Status>'),
        `expected ${process}`,
      );
      refuses(
        operation,
        update(`<Loan><UPBAmount>5</UPBAmount></Loan>${id}`),
        'no SubscriberID and no Loan/Agency and Loan/Loan',
      );
      refuses(operation, update(`<Loan><Agency>INVESTOR</Agency></Loan>${id}`), 'no SubscriberID and no Loan/Loan');
      refuses(operation, update('<SubscriberID> </SubscriberID>'), 'SubscriberID is empty');
    }
  });

  it('REF-03 accept an empty date, amount or choice on an update, which clears it, and otherwise the same values', () => {
    const update = (inside: string): string =>
      `<ImportCollection><ForeclosureItem><SubscriberID>a</SubscriberID>${inside}</ForeclosureItem>` +
      '</ImportCollection>';
    for (const [path, , type] of table) {
      if (
        path.includes('/') ||
        type === 'Node' ||
        ['SubscriberID', 'Foreclosure', 'DateOpened', 'Status'].includes(path)
      )
        continue;
      accepts('ForeclosureUpdate', update(`<${path}/>`), path);
      refuses('ForeclosureUpdate', update(`<${path}>wrong</${path}>`), '"wrong"', path);
    }
    for (const date of goodDates)
      accepts('ForeclosureUpdate', update(`<ScheduledSaleDate>${date}</ScheduledSaleDate>`));
    for (const date of badDates)
      refuses('ForeclosureUpdate', update(`<ScheduledSaleDate>${date}</ScheduledSaleDate>`), `"${date}"`);
    refuses('ForeclosureUpdate', update('<Status/>'), 'Status is empty');
    accepts(
      'ForeclosureUpdate',
      update(
        '<Loan><Borrowers><BorrowerItem><Address>1 Elm Way</Address><Sequence>1</Sequence>' +
          '</BorrowerItem></Borrowers></Loan>',
      ),
    );
    refuses(
      'ForeclosureUpdate',
      update('<Loan><Borrowers><BorrowerItem><Address>1 Elm Way</Address></BorrowerItem></Borrowers></Loan>'),
      'Sequence',
    );
  });

  it('REF-19 enforce the order of the nested and standalone shapes', () => {
    const shapes: readonly (readonly [ReferralOperation, string, readonly string[], readonly string[]])[] = [
      [
        'ImportForm',
        'ImportFormItem',
        [
          'Object',
          'ObjectSubscriberID',
          'Template',
          'ProjectedCompletion',
          'ActualCompletion',
          'Messages_0_Message',
          'Messages_0_BodyText',
        ],
        ['Object', 'ObjectSubscriberID', 'Template'],
      ],
      [
        'Message',
        'MessageItem',
        ['Object', 'ObjectSubscriberID', 'Template', 'Message', 'BodyText'],
        ['Object', 'ObjectSubscriberID', 'Template'],
      ],
      [
        'Document',
        'AttachmentItem',
        ['Object', 'ObjectSubscriberID', 'FileName', 'Template', 'Description', 'Content'],
        ['Object', 'ObjectSubscriberID', 'FileName', 'Template', 'Content'],
      ],
    ];
    for (const [operation, item, names, required] of shapes) {
      assert.deepEqual(
        examples[operation].children[0]?.children.map((child) => child.name),
        names,
      );
      const nested = names.slice(2);
      const holder = { ImportFormItem: 'Forms', MessageItem: 'Messages', AttachmentItem: 'Attachments' }[item] ?? '';
      assert.deepEqual(
        change(whole, ['ForeclosureItem'], (found) =>
          found.children.filter((child) => child.name === holder),
        ).children[0]?.children[0]?.children.map((child) => child.name),
        nested,
      );
      for (const name of names) {
        const left = without(examples[operation], [item, name]);
        if (required.includes(name)) refuses(operation, left, name, `${item} without ${name}`);
        else accepts(operation, left, `${item} without ${name}`);
      }
      for (let at = 0; at + 1 < names.length; at++) {
        refuses(
          operation,
          change(examples[operation], [item], (found) => {
            const [one, other] = [found.children[at], found.children[at + 1]] as [XmlElement, XmlElement];
            return [{ ...found, children: found.children.toSpliced(at, 2, other, one) }];
          }),
          'does not belong here',
          `${item}: ${names[at]} and ${names[at + 1]}`,
        );
      }
      const outside = change(whole, ['ForeclosureItem', holder, item], (found) => [
        {
          ...found,
          children: [{ name: 'Object', attributes: {}, children: [], text: 'Foreclosure', line: 0 }, ...found.children],
        },
      ]);
      refuses('Foreclosure', outside, 'Object does not belong here');
    }
  });

  it('REF-15 leave a wrong Object to the record, so that only that record is an Error', () => {
    for (const object of ['Foreclosure', 'Bankruptcy', 'Eviction'])
      accepts('Message', withText(examples.Message, ['MessageItem', 'Object'], object));
  });

  it('REF-14 accept any lines in any order in a ledger, and only amounts in them', () => {
    const ledger = (process: (typeof cases)[number], element: string, items: string): string =>
      `<ImportCollection><${process}Item><SubscriberID>a</SubscriberID>` +
      `<${element}><Template>T</Template><Items>${items}</Items></${element}></${process}Item></ImportCollection>`;
    for (const [process, element] of [
      ['Foreclosure', 'TotalDebtLedger'],
      ['POC', 'PrePetitionArrearagesLedger'],
      ['MFR', 'PostPetitionArrearagesLedger'],
    ] as const) {
      const operation = `${process}Update` as const;
      accepts(
        operation,
        ledger(
          process,
          element,
          '<B>1</B><A>-2.5</A><C><Items><D>3</D><E><Template>T</Template><Items/></E></Items></C>',
        ),
      );
      accepts(operation, ledger(process, element, '<BorrowerItem>1</BorrowerItem><Template>5</Template>'));
      refuses(
        operation,
        ledger(process, element, '<A>much</A>'),
        `/ImportCollection/${process}Item/${element}/Items/A: A is "much"; expected an amount`,
      );
      refuses(operation, ledger(process, element, '<A/>'), 'A is empty');
      refuses(
        operation,
        ledger(process, element, '<C><Items><D>x</D></Items></C>'),
        `${element}/Items/C/Items/D: D is "x"`,
      );
      refuses(operation, ledger(process, element, '<C><D>1</D></C>'), 'C contains D; expected an amount, or Items');
      refuses(
        operation,
        ledger(process, element, '<C>5<Items/></C>'),
        'C contains Items; expected an amount, or Items',
      );
    }
    refuses('Foreclosure', withText(whole, pathOf('TotalDebtLedger/Items'), '5'), 'Items');
  });

  it('REF-06 judge the base64 of a document that was not lifted', () => {
    for (const bad of ['***', 'QUJ', 'QUJD-_', ''])
      refuses('Document', withText(examples.Document, ['AttachmentItem', 'Content'], bad), 'Content');
    assert.deepEqual(
      crossChecks(withText(examples.Document, ['AttachmentItem', 'Content'], 'lifted:0'), { lifted: true }),
      [],
    );
    assert.equal(crossChecks(withText(examples.Document, ['AttachmentItem', 'Content'], 'lifted:0')).length, 1);
  });
});

/** A valid document of each operation. */
const examples: Readonly<Record<ReferralOperation, XmlElement>> = (() => {
  const bankruptcy =
    '<BKCaseNo>24-1</BKCaseNo><Chapter>13</Chapter><Court>C</Court><FilingDate>2024-01-01</FilingDate>' +
    '<BarDate>2024-02-01</BarDate><HearingDate>2024-03-01</HearingDate>' +
    '<PrePetitionArrearagesLedger><Template>T</Template><Items><A>1</A></Items></PrePetitionArrearagesLedger>' +
    '<PostPetitionArrearagesLedger><Template>T</Template><Items/></PostPetitionArrearagesLedger>';
  const children = ['Delays', 'Forms', 'Messages', 'Attachments']
    .map((name) => `<${name}>${inner[name]}</${name}>`)
    .join('');
  const loan = writeXml(whole.children[0]?.children.find((child) => child.name === 'Loan') as XmlElement);
  const collection = (item: string, inside: string): XmlElement =>
    parseXml(`<ImportCollection><${item}>${inside}</${item}></ImportCollection>`);
  const target = '<Object>Foreclosure</Object><ObjectSubscriberID>a</ObjectSubscriberID>';
  const alone = (item: string, holder: string): XmlElement =>
    collection(item, target + (inner[holder] ?? '').replace(new RegExp(`^<${item}>|</${item}>$`, 'g'), ''));
  const opened = '<DateOpened>2024-01-02</DateOpened><Status>Open</Status>';
  return {
    Foreclosure: whole,
    ForeclosureUpdate: collection(
      'ForeclosureItem',
      `<SubscriberID>a</SubscriberID>${loan}<Foreclosure>F</Foreclosure>${opened}${children}`,
    ),
    POC: collection('POCItem', `<SubscriberID>a</SubscriberID>${loan}<POC>P</POC>${opened}${bankruptcy}${children}`),
    POCUpdate: collection('POCItem', `<SubscriberID>a</SubscriberID>${bankruptcy}${children}`),
    MFR: collection('MFRItem', `${loan}<MFR>M</MFR>${opened}${bankruptcy}${children}`),
    MFRUpdate: collection('MFRItem', `<SubscriberID>a</SubscriberID><Status>Open</Status>${bankruptcy}${children}`),
    Message: alone('MessageItem', 'Messages'),
    Document: alone('AttachmentItem', 'Attachments'),
    ImportForm: alone('ImportFormItem', 'Forms'),
  };
})();

describe('a document with more faults than a call can have arguments', () => {
  it('is reported like any other', { timeout: 60_000 }, async () => {
    const { root, issues } = await readReferral(
      inPieces(Buffer.from(`<ImportCollection>${'<ForeclosureItem/>'.repeat(150_000)}</ImportCollection>`), 1_000_000),
      'Foreclosure',
      settings,
      () => Promise.resolve(undefined),
    );
    assert.equal(root, undefined);
    assert.ok(issues.length >= 150_000);
  });
});

describe('the samples', () => {
  const folder = new URL('../../../samples/', import.meta.url);
  const json = (path: string): unknown => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
  const read = async (path: string, operation: ReferralOperation) =>
    readReferral(inPieces(readFileSync(new URL(path, folder)), 1_000), operation, settings, async (_index, bytes) => {
      const parts: Uint8Array[] = [];
      for await (const part of bytes) parts.push(part);
      return Buffer.concat(parts);
    });
  const index = json('referrals/index.json') as { file: string; firm: string; operation: ReferralOperation }[];

  it('are exactly what the generator produces, to the byte', async () => {
    const { makeSamples } = await import('../../../tools/make-samples.ts');
    const files = await makeSamples();
    for (const [path, content] of files) assert.ok(readFileSync(new URL(path, folder)).equals(content), path);
    const present = ['referrals', 'wrong', 'letters'].flatMap((name) =>
      readdirSync(new URL(`${name}/`, folder)).map((file) => `${name}/${file}`),
    );
    assert.deepEqual(
      present.filter((path) => !files.has(path)),
      [],
    );
  });

  it('REF-05 are all valid, and at least forty are foreclosures', async () => {
    for (const { file, operation } of index) {
      const result = await read(`referrals/${file}`, operation);
      assert.deepEqual(result.issues, [], file);
      for (const { value } of result.lifted) assert.equal(value.toString('latin1', 0, 5), '%PDF-', file);
    }
    assert.ok(index.filter(({ operation }) => operation.startsWith('Foreclosure')).length >= 40);
    assert.deepEqual([...new Set(index.map(({ operation }) => operation))].sort(), [...operations].sort());
  });

  it('use only templates of templates.json, their own loans, and SSNs that were never issued', async () => {
    const templates = JSON.stringify(json('templates.json'));
    const loans = new Map<string, string>();
    for (const { file, operation } of index) {
      walkXml((await read(`referrals/${file}`, operation)).root as XmlElement, (element, _path, parent) => {
        if (element.name === 'Template')
          assert.ok(templates.includes(`"name":${JSON.stringify(element.text)}`), `${file}: ${element.text}`);
        if (element.name === 'USSSN') assert.match(element.text.replaceAll('-', ''), /^(?:9\d\d|000|666)\d{6}$/, file);
        if (element.name === 'Loan' && parent?.name === 'Loan' && !operation.endsWith('Update')) {
          assert.equal(loans.get(element.text), undefined, `${file} and ${loans.get(element.text)}`);
          loans.set(element.text, file);
        }
      });
    }
  });

  it('get an answer, whatever is done to their bytes', async () => {
    const sources = index
      .filter(({ file }) => /-0(?:11|15|24|47)-/.test(file))
      .map(({ file, operation }) => ({ operation, bytes: readFileSync(new URL(`referrals/${file}`, folder)) }));
    const cut = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 40 }),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc
          .constantFrom('<', '>', '&', '"', ']]>', '<!--', '\0', '<Content>', '</Loan>', '&#x0;')
          .map((text) => Buffer.from(text)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sources),
        fc.array(cut, { minLength: 1, maxLength: 3 }),
        async ({ operation, bytes }, cuts) => {
          let changed: Buffer = bytes;
          for (const { at, length, put } of cuts)
            changed = Buffer.concat([
              changed.subarray(0, at % changed.length),
              put,
              changed.subarray((at % changed.length) + length),
            ]);
          try {
            const { root, issues } = await readReferral(
              inPieces(changed, 500),
              operation,
              settings,
              async (_index, content) => {
                for await (const _ of content);
              },
            );
            assert.equal(root === undefined, issues.length > 0);
            for (const issue of issues)
              assert.ok(
                issue.message.length > 10 && issue.message.length < 1_000 && !/undefined|\[object/.test(issue.message),
                issue.message,
              );
          } catch (error) {
            assert.ok(error instanceof PlatformError && error.code === 'TOO_LARGE', String(error));
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('REF-05 REF-07 with a fault are refused with the element and its line, or left to the record', async () => {
    const expected = json('wrong/expected.json') as Record<
      string,
      { operation: ReferralOperation; status: string; mentions: string; line?: number }
    >;
    assert.ok(Object.keys(expected).length >= 40);
    for (const [file, { operation, status, mentions, line }] of Object.entries(expected)) {
      const { issues, root } = await read(`wrong/${file}`, operation);
      assert.equal(root === undefined, status === 'Validation Error', file);
      if (status !== 'Validation Error') continue;
      const fitting = issues.find(
        (issue) => issue.message.includes(mentions) && (line === undefined || issue.line === line),
      );
      assert.ok(fitting, `${file}: expected "${mentions}" on line ${line}, got ${JSON.stringify(issues)}`);
      assert.ok(issues.length <= 2, `${file} has one fault, got ${JSON.stringify(issues)}`);
    }
  });
});

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}
