import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { docxOf, pdfOf } from '../../support/documents.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after });

async function upload(name: string, content: string | Buffer, fields: Record<string, unknown> = {}): Promise<number> {
  const answer = await p.admin.post('/api/attachment/save?Output=Json', {
    FileName: name,
    Content: Buffer.from(content).toString('base64'),
    ...fields,
  });
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.json()['AttachmentID']);
}

async function readTexts(): Promise<void> {
  const answer = await p.admin.post('/api/attachment/readtext?Output=Json', {});
  assert.equal(answer.status, 200, answer.text);
}

/** Returns the rows of a list. */
function rowsOf(answer: TestAnswer): readonly unknown[] {
  const { AttachmentCollection: list } = answer.json() as Record<string, { readonly AttachmentItem: unknown[] }>;
  return list?.AttachmentItem ?? [];
}

interface FoundDocument {
  readonly AttachmentID: number;
  readonly Snippet: string;
  readonly PageNumber: number | null;
}

async function search(text: string, caller = p.admin, more = ''): Promise<readonly FoundDocument[]> {
  const answer = await caller.get(`/api/attachment/search?Output=Json&FullText=${encodeURIComponent(text)}${more}`);
  assert.equal(answer.status, 200, answer.text);
  return rowsOf(answer) as readonly FoundDocument[];
}

/** Returns the ids and pages of a search. */
async function pagesOf(text: string, caller = p.admin, more = ''): Promise<readonly (readonly unknown[])[]> {
  return (await search(text, caller, more)).map(({ AttachmentID: id, PageNumber: page }) => [id, page ?? null]);
}

async function refusal(query: string): Promise<string> {
  const answer = await p.admin.get(`/api/attachment/search?Output=Json&${query}`);
  assert.equal(answer.status, 400, answer.text);
  return answer.text;
}

/** Words of generated texts; those of a line have one stem. */
const stems = [
  ['filing', 'filings', 'filed'],
  ['record', 'records', 'recorded'],
  ['trust'],
  ['trustee', 'trustees'],
  ['the'],
];
const vocabulary = stems.flat();

/** Whether a text has what a part of a query asks for: a plain scan. */
function holds(words: readonly string[], term: string): boolean {
  if (term.startsWith('-')) return !holds(words, term.slice(1));
  if (term.endsWith('*')) return words.some((word) => word.startsWith(term.slice(0, -1)));
  if (term.startsWith('"')) return ` ${words.join(' ')} `.includes(` ${term.slice(1, -1)} `);
  const forms = stems.find((line) => line.includes(term)) ?? [];
  return words.some((word) => forms.includes(word));
}

describe('search in the text of documents', async () => {
  const letter = await upload(
    'Notice_of-default.final.pdf',
    await pdfOf(
      'First page about nothing in particular',
      'The notices of default were mailed\nin case 26-CV-1234567 to Zoe Müller, telephone (555) 123-4567',
    ),
  );
  const motion = await upload(
    'motion.docx',
    await docxOf('A motion for relief from stay\nJennings <b>paid</b> $1,234.56 & more'),
  );
  const page = await upload('page.html', '<p>The caf&eacute; on <b>Main</b> Street</p><script>hidden()</script>');
  await readTexts();

  it('DOC-13 finds words in any form, and returns the page and a piece of text with the hits marked', async () => {
    const [found] = await search('NOTICE mailing');
    assert.deepEqual([found?.AttachmentID, found?.PageNumber], [letter, 2]);
    assert.match(found?.Snippet ?? '', /The <mark>notices<\/mark> of default were <mark>mailed<\/mark> in case/);
  });

  it('DOC-13 all words must be on one page, and excluded words on none of the found', async () => {
    assert.deepEqual(await pagesOf('particular mailed'), []);
    assert.deepEqual(await pagesOf('default -mailed'), [[letter, null]]);
  });

  it('DOC-13 a phrase that continues on the next page is not found, and what each page has of it is', async () => {
    const id = await upload('split.pdf', await pdfOf('the trustee sold the armadillo', 'farm to the highest bidder'));
    await readTexts();
    assert.deepEqual(await pagesOf('"armadillo farm"'), []);
    assert.deepEqual(await pagesOf('"the armadillo"'), [[id, 1]]);
    assert.deepEqual(await pagesOf('"farm to the highest"'), [[id, 2]]);
  });

  it('DOC-13 finds names and types of documents beside their text', async () => {
    assert.deepEqual(await pagesOf('final'), [[letter, null]]);
    const [found] = await search('docx');
    assert.deepEqual([found?.AttachmentID, found?.PageNumber ?? null], [motion, null]);
    assert.match(found?.Snippet ?? '', /motion\.<mark>docx<\/mark>/);
  });

  it('DOC-13 finds numbers with and without their separators, and parts of them', async () => {
    for (const text of [
      '26-CV-1234567',
      '26CV1234567',
      '1234567',
      '26-cv*',
      '"26 CV 1234567"',
      '555-123-4567',
      '5551234567',
    ])
      assert.deepEqual(await pagesOf(text), [[letter, 2]], text);
    for (const text of ['$1,234.56', '1234.56']) assert.deepEqual(await pagesOf(text), [[motion, null]], text);
    assert.deepEqual(await pagesOf('123456'), [[motion, null]]);
    assert.deepEqual(await pagesOf('26-CV-123456'), []);
  });

  it('DOC-13 finds words without their accents, phrases in order, and beginnings of words', async () => {
    assert.deepEqual(await pagesOf('muller'), [[letter, 2]]);
    assert.deepEqual(await pagesOf('Café'), [[page, null]]);
    assert.deepEqual(await pagesOf('"relief from stay"'), [[motion, null]]);
    assert.deepEqual(await pagesOf('"stay from relief"'), []);
    assert.deepEqual(await pagesOf('"jenning"'), []);
    assert.deepEqual(await pagesOf('jenn*'), [[motion, null]]);
    assert.deepEqual(await pagesOf('hidden'), []);
  });

  it('DOC-13 markup in a document is text in its snippet', async () => {
    const [found] = await search('paid');
    assert.match(found?.Snippet ?? '', /Jennings &lt;b&gt;<mark>paid<\/mark>&lt;\/b&gt; \$1,234\.56 &amp; more/);
  });

  it('DOC-13 KRN-21 numbers of people are masked in texts, and whoever may not download files finds no text', async () => {
    const id = await upload('ssn.txt', 'kangaroo 123-45-6789 and 123 45 6789');
    await readTexts();
    const [found] = await search('kangaroo');
    assert.equal(found?.Snippet, '<mark>kangaroo</mark> XXX-XX-6789 and XXX-XX-6789');
    assert.deepEqual(await pagesOf('"123 45 6789"'), []);
    await p.admin.post('/api/role/save', { Role: 'Names', Permissions: 'AttachmentSearch', UniversalAccess: true });
    const { caller } = await p.user('names', 'Names');
    const refused = await caller.get('/api/attachment/search?Output=Json&FullText=kangaroo');
    assert.equal(refused.status, 403);
    assert.match(refused.text, /AttachmentDownload/);
    assert.equal((await caller.get(`/api/attachment/search?Output=Json&ID=${id}`)).status, 200);
  });

  it('DOC-13 refuses what it cannot search, and says what it expects', async () => {
    assert.match(await refusal('FullText=for*'), /FullText: expected at least 4 letters or digits before \*/);
    assert.match(await refusal('FullText=-paid'), /expected a word that documents must have/);
    assert.match(await refusal('FullText=%2B%2B'), /expected at least one word/);
    assert.match(await refusal('FullText=default&OrderBy=FileName'), /OrderBy/);
  });

  it('DOC-13 applies other filters and paging to what it finds', async () => {
    assert.deepEqual(await pagesOf('default', p.admin, '&FileName=motion*'), []);
    assert.deepEqual(await pagesOf('default', p.admin, `&AttachmentID=${letter}`), [[letter, 2]]);
    assert.deepEqual(await pagesOf('default', p.admin, '&RecordStart=1'), []);
  });

  it('DOC-13 findtext returns the hits of each page with their boxes in thousandths', async () => {
    const answer = await p.admin.get(
      `/api/attachment/findtext?Output=Json&ID=${letter}&FullText=notice%20"Main Street"`,
    );
    assert.equal(answer.status, 200);
    assert.deepEqual(rowsOf(answer), [], 'all words must be on one page');
    const found = await p.admin.get(
      `/api/attachment/findtext?Output=Json&ID=${letter}&FullText=notice%2026-CV-1234567`,
    );
    const hits = rowsOf(found) as readonly Record<string, string>[];
    assert.deepEqual(
      hits.map(({ PageNumber, HitNumber, Words }) => [PageNumber, HitNumber, Words]),
      [
        [2, 1, 'notices'],
        [2, 2, '26-CV-1234567'],
      ],
    );
    const [left = 0, top = 0, right = 0, bottom = 0] = (hits[0]?.['Boxes'] ?? '').split(',').map(Number);
    // The second word of the first line, 72 points from the left and 700 from the bottom of 612 by 792.
    assert.ok(left > 140 && right > left && right < 240, hits[0]?.['Boxes']);
    assert.ok(top > 90 && bottom > top && bottom < 125, hits[0]?.['Boxes']);
  });

  it('DOC-13 a file of an unknown type is read if it is text, and another one is not, whatever its name', async () => {
    const text = Buffer.from('the pangolin signed the deed\n'.repeat(600));
    const binary = Buffer.from(Array.from({ length: 30_000 }, (_, n) => (n * n * 7 + (n >> 5)) % 256));
    const read = await upload('notes', text);
    const unread = [
      await upload('pangolin.txt', Buffer.concat([text, binary])),
      await upload('pangolin.csv', Buffer.concat([text, binary])),
      await upload('pangolin.html', binary),
      await upload('pangolin', binary),
    ];
    await readTexts();
    assert.deepEqual(await pagesOf('"signed the deed"'), [[read, null]]);
    for (const id of unread) {
      const status = await p.admin.get(`/api/attachment/textstatus?Output=Json&ID=${id}`);
      assert.match(status.text, /Text is not read from files of this type \(application\/octet-stream\)/);
    }
  });

  it('DOC-13 a new name or content is found, and the old one is not', async () => {
    const id = await upload('draft.txt', 'about squirrels');
    await readTexts();
    assert.deepEqual(await pagesOf('squirrels'), [[id, null]]);
    const renamed = await p.admin.post('/api/attachment/save', { ID: id, FileName: 'hedgehog.txt' });
    assert.equal(renamed.status, 200, renamed.text);
    await readTexts();
    assert.deepEqual(await pagesOf('hedgehog'), [[id, null]]);
    await p.admin.post('/api/attachment/save', {
      ID: id,
      FileName: 'hedgehog.txt',
      Content: Buffer.from('about badgers').toString('base64'),
    });
    assert.deepEqual(await pagesOf('squirrels'), []);
    await readTexts();
    assert.deepEqual(await pagesOf('badgers'), [[id, null]]);
    await p.admin.post('/api/attachment/delete', { ID: id });
    assert.deepEqual(await pagesOf('badgers'), []);
    const stored = await p.platform.store.query('select 1 from documentpage where attachmentid = $1::bigint', [id]);
    assert.equal(stored.length, 0);
  });
});

describe('search in the text of documents by firms', async () => {
  await p.admin.post('/api/role/save', { Role: 'Everything Reached', Permissions: '*', UniversalAccess: false });
  const north = await p.firm('Northgate Law', 'Everything Reached');
  const south = await p.firm('Southgate Law', 'Everything Reached');
  const own = async (firm: typeof north, name: string, text: string): Promise<number> => {
    const below = await p.admin.post('/api/foreclosure/save?Output=Json', {
      Foreclosure: name,
      OrganizationID: firm.organizationId,
    });
    const answer = await firm.caller.post('/api/attachment/save?Output=Json', {
      Object: 'Foreclosure',
      ObjectID: below.json()['ForeclosureID'],
      FileName: name,
      Content: Buffer.from(text).toString('base64'),
    });
    assert.equal(answer.status, 200, answer.text);
    return Number(answer.json()['AttachmentID']);
  };

  it('DOC-13 KRN-21 a firm finds the text of its own documents and never that of others', async () => {
    const id = await own(north, 'north.txt', 'the walrus of Northgate');
    const other = await own(south, 'south.txt', 'the walrus of Southgate');
    await readTexts();
    assert.deepEqual(await pagesOf('walrus', north.caller), [[id, null]]);
    assert.deepEqual(await pagesOf('walrus', south.caller), [[other, null]]);
    assert.equal((await pagesOf('walrus')).length, 2);
    assert.deepEqual(await pagesOf('walrus', north.caller, `&AttachmentID=${other}`), []);
    const hidden = await north.caller.get(`/api/attachment/findtext?Output=Json&ID=${other}&FullText=walrus`);
    assert.equal(hidden.status, 404, hidden.text);
    const status = await north.caller.get(`/api/attachment/textstatus?Output=Json&ID=${other}`);
    assert.equal(status.status, 404, status.text);
  });

  it('DOC-13 KRN-21 whatever is searched, staff and firms find what a scan of the texts they see finds', async () => {
    const texts: { readonly id: number; readonly firm: number | undefined; readonly words: readonly string[] }[] = [];
    const written = fc.sample(fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 }), {
      numRuns: 24,
      seed: 7,
    });
    for (const [at, words] of written.entries()) {
      // Newer documents are in other ranges of ids, which are searched first.
      if (at % 6 === 5)
        await p.platform.store.query(
          `select setval(pg_get_serial_sequence('attachment', 'attachmentid'), max(attachmentid) + $1::bigint)
           from attachment`,
          [at < 12 ? 200_000 : 9_000],
        );
      const firm = [north, south, undefined][at % 3];
      const text = words.join(' ');
      const id = firm ? await own(firm, `t${at}`, text) : await upload(`t${at}`, text);
      texts.push({ id, firm: firm?.organizationId, words });
    }
    await readTexts();
    const term = fc.oneof(
      fc.constantFrom(...vocabulary),
      fc.constantFrom(...vocabulary).map((word) => `-${word}`),
      fc.constantFrom('fili*', 'recor*', 'trus*'),
      fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`),
      fc.array(fc.constantFrom(...vocabulary), { minLength: 2, maxLength: 2 }).map((words) => `-"${words.join(' ')}"`),
    );
    for (const terms of fc.sample(fc.array(term, { minLength: 1, maxLength: 3 }), { numRuns: 40, seed: 11 })) {
      if (terms.every((each) => each.startsWith('-'))) continue;
      for (const viewer of [north, south, undefined]) {
        const expected = texts
          .filter(({ firm }) => viewer === undefined || firm === viewer.organizationId)
          .filter(({ words }) => terms.every((each) => holds(words, each)))
          .map(({ id }) => id);
        const found = await search(terms.join(' '), viewer?.caller ?? p.admin, '&DisplaySize=100');
        const ids = found.map(({ AttachmentID: id }) => id).filter((id) => texts.some((text) => text.id === id));
        assert.deepEqual(
          ids.toSorted((a, b) => a - b),
          expected,
          terms.join(' '),
        );
      }
    }
  });

  it('DOC-13 the keys of a page are those of words that follow each other, also beyond the last position', async () => {
    const [row] = await p.platform.store.query<{ missed: number; phrases: number; whole: boolean }>(
      `with page as (
         select words from documentpage where page > 0
         union all
         select string_agg(format('w%s:%s', n % 50, 16300 + n), ' ')::tsvector from generate_series(1, 300) n),
       pair as (
         select a.lexeme as a, b.lexeme as b from page, unnest(words) a, unnest(words) b
         where words @@ format('''%s'' <-> ''%s''', a.lexeme, b.lexeme)::tsquery),
       keys as (select words, casewright_page_pairs(words) as keys from page)
       select count(*)::integer as phrases,
         (count(*) filter (where not exists (select from keys
            where words @@ format('''%s'' & ''%s''', a, b)::tsquery
              and keys @> array[casewright_pair_key(a || ' ' || b)])))::integer as missed,
         (select bool_and(keys <@ array(select casewright_pair_key(a || ' ' || b) from pair)) from keys) as whole
       from pair`,
    );
    assert.deepEqual([row?.missed, row?.whole, (row?.phrases ?? 0) > 100], [0, true, true]);
  });

  it('DOC-13 a beginning of many words finds all of them, and one of few words those', async () => {
    const words = Array.from({ length: 300 }, (_, n) => `quag${String.fromCharCode(97 + (n % 26), 97 + n / 26)}`);
    const id = await upload('many.txt', `${words.join(' ')} quintessence`);
    const other = await upload('few.txt', 'quagzz quince');
    await readTexts();
    const found = async (text: string) =>
      (await search(text)).map(({ AttachmentID }) => AttachmentID).toSorted((a, b) => a - b);
    assert.deepEqual(await found('quag*'), [id, other]);
    assert.deepEqual(await found('quag* -"quince"'), [id]);
    assert.deepEqual(await found('quin*'), [id, other]);
    assert.deepEqual(await found('quint*'), [id]);
    assert.deepEqual(await found('quagzz*'), [other]);
    assert.deepEqual(await found('quinz*'), []);
  });

  it('DOC-13 KRN-21 when a case changes its firm, the texts of its documents do, too', async () => {
    const foreclosure = await p.admin.post('/api/foreclosure/save?Output=Json', {
      Foreclosure: 'MOVED-1',
      OrganizationID: north.organizationId,
    });
    const ForeclosureID = foreclosure.json()['ForeclosureID'];
    const template = await p.admin.post('/api/attachmenttemplate/save?Output=Json', {
      AttachmentTemplate: 'Shared letter',
      ExtranetEnabled: 'Parent',
    });
    const id = await upload('moved.txt', 'the platypus moves', {
      Object: 'Foreclosure',
      ObjectID: ForeclosureID,
      AttachmentTemplateID: template.json()['AttachmentTemplateID'],
    });
    await readTexts();
    assert.deepEqual(await pagesOf('platypus', north.caller), [[id, null]]);
    assert.deepEqual(await pagesOf('platypus', south.caller), []);
    const moved = await p.admin.post('/api/foreclosure/save', {
      ID: ForeclosureID,
      OrganizationID: south.organizationId,
    });
    assert.equal(moved.status, 200, moved.text);
    assert.deepEqual(await pagesOf('platypus', north.caller), []);
    assert.deepEqual(await pagesOf('platypus', south.caller), [[id, null]]);
  });
});
