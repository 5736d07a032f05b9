import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { LetterReport, LetterSubmission, MailHouse, Notice, OutboundLetter } from '../delivery.ts';

/** A letter as the mail house has it. */
export interface ArrivedLetter {
  readonly hash: string;
  readonly name: string;
  readonly mailClass: string;
  readonly pages: number;
}

/** What a provider's test passes to the suite: the provider, and access to what arrived. */
export interface MailHousePeer {
  readonly mailHouse: MailHouse;
  /** Returns the letters that have arrived under a key: none, one, or several if it was mailed more than once. */
  readonly arrived: (key: string) => Promise<readonly ArrivedLetter[]>;
  /** Returns a valid notice of these reports, as the mail house would send it now. */
  readonly notice: (reports: readonly LetterReport[]) => Notice;
  /** Makes the mail house forget everything that it has. */
  readonly forget: () => Promise<void>;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface MailHouseDemand {
  readonly title: string;
  readonly check: (peer: MailHousePeer) => Promise<void>;
}

const PDF = Buffer.from('%PDF-1.4\n% a letter of the conformance suite\n%%EOF\n');

/** Returns a letter that no other requirement submits. */
function letterOf(more: Partial<OutboundLetter> = {}): OutboundLetter {
  return {
    key: randomUUID(),
    to: { name: 'Anna "Ä", Jr.', street: '12 Main St, Apt 4', city: 'Springfield', state: 'IL', postalCode: '62701' },
    mailClass: 'Certified',
    pages: 3,
    file: {
      fileName: 'Notice.pdf',
      mime: 'application/pdf',
      size: PDF.length,
      async *open() {
        yield PDF.subarray(0, 10);
        yield PDF.subarray(10);
      },
      async *part(start, end) {
        yield PDF.subarray(start, end);
      },
    },
    hash: createHash('sha256').update(PDF).digest('hex'),
    ...more,
  };
}

const submissionOf = (...letters: readonly OutboundLetter[]): LetterSubmission => ({
  key: `s-${randomUUID()}`,
  name: 'November notices',
  date: '2026-03-02T09:00:00.000Z',
  letters,
});

const invalid: readonly Partial<OutboundLetter>[] = [
  { key: '../../etc/passwd' },
  { pages: 0 },
  { hash: 'x' },
  { to: { name: 'A\r\nB', street: '1 Main St', city: 'Springfield', state: 'IL', postalCode: '62701' } },
  { to: { name: 'A', street: ' ', city: 'Springfield', state: 'IL', postalCode: '62701' } },
  { to: { name: 'A', street: '1 Main St', city: 'Springfield', state: 'Illinois', postalCode: '62701' } },
  { to: { name: 'A', street: '1 Main St', city: 'Springfield', state: 'IL', postalCode: '6270' } },
];

/** Requirements of every provider of the contract. */
export const mailHouseConformance: readonly MailHouseDemand[] = [
  {
    title: 'submits each letter once, with its file, address and class, also when it is submitted again',
    async check({ mailHouse, arrived }) {
      const letters = Array.from({ length: Math.min(2, mailHouse.lettersMax) }, () => letterOf());
      const submission = submissionOf(...letters);
      for (let attempt = 0; attempt < 2; attempt++)
        assert.deepEqual(
          (await mailHouse.submit(submission)).map(({ key, status, detail }) => [key, status, detail]),
          letters.map(({ key }) => [key, 'accepted', null]),
        );
      for (const { key, hash } of letters)
        assert.deepEqual(await arrived(key), [{ hash, name: 'Anna "Ä", Jr.', mailClass: 'Certified', pages: 3 }]);
    },
  },
  {
    title: 'refuses letters that nobody could mail, and too many, before anything leaves',
    async check({ mailHouse, arrived }) {
      let begun = 0;
      const options = { beforeData: () => Promise.resolve(void begun++) };
      for (const more of invalid) {
        const letter = letterOf(more);
        await assert.rejects(
          mailHouse.submit(submissionOf(letter), options),
          { code: 'BAD_PARAMETER' },
          JSON.stringify(more),
        );
        assert.deepEqual(await arrived(letter.key), []);
      }
      const many = Array.from({ length: mailHouse.lettersMax + 1 }, () => letterOf());
      await assert.rejects(mailHouse.submit(submissionOf(...many), options), { code: 'BAD_PARAMETER' });
      await assert.rejects(mailHouse.submit(submissionOf(), options), { code: 'BAD_PARAMETER' });
      assert.equal(begun, 0);
    },
  },
  {
    title: 'awaits beforeData before the first byte, and sends nothing if it rejects',
    async check({ mailHouse, arrived }) {
      const letter = letterOf();
      const submission = submissionOf(letter);
      await assert.rejects(mailHouse.submit(submission, { beforeData: () => Promise.reject(new Error('not now')) }), {
        message: 'not now',
      });
      assert.deepEqual(await arrived(letter.key), []);
      let before: unknown;
      await mailHouse.submit(submission, {
        beforeData: async () => {
          before = await arrived(letter.key);
        },
      });
      assert.deepEqual(before, []);
      assert.equal((await arrived(letter.key)).length, 1);
    },
  },
  {
    title: 'says of a letter that it has it or never had it',
    async check({ mailHouse, forget }) {
      const [sent, other] = [letterOf(), letterOf()];
      const submission = submissionOf(sent);
      await mailHouse.submit(submission);
      const inquire = async () =>
        (
          await mailHouse.inquire(
            [
              { key: sent.key, submission: submission.key },
              { key: other.key, submission: 'never-sent' },
            ],
            '2026-04-01T00:00:00.000Z',
          )
        ).map(({ key, status }) => [key, status]);
      assert.deepEqual(await inquire(), [
        [sent.key, 'found'],
        [other.key, 'absent'],
      ]);
      await forget();
      assert.deepEqual(await inquire(), [
        [sent.key, 'absent'],
        [other.key, 'absent'],
      ]);
    },
  },
  {
    title: 'asks the mail house to stop a letter, and asking again changes nothing',
    async check({ mailHouse }) {
      const letter = letterOf();
      const submission = submissionOf(letter);
      await mailHouse.submit(submission);
      const cancel = () => mailHouse.cancel([{ key: letter.key, submission: submission.key }]);
      const first = await cancel();
      assert.ok(['accepted', 'later'].includes(first[0]?.status ?? ''), JSON.stringify(first));
      assert.deepEqual(await cancel(), first);
    },
  },
  {
    title: 'parses notices, the same one to the same ID, and refuses broken ones',
    async check({ mailHouse, notice }) {
      const reports: readonly LetterReport[] = [
        {
          key: randomUUID(),
          state: 'Mailed',
          date: '2026-03-03T15:00:00.000Z',
          trackingNumber: '9400',
          costCents: 745,
        },
        { key: randomUUID(), state: 'Returned', date: '2026-03-09T15:00:00.000Z', reason: 'No such "number", ß' },
      ];
      const sent = notice(reports);
      const parsed = await mailHouse.parseNotice(sent);
      assert.deepEqual(parsed.reports, reports);
      assert.equal((await mailHouse.parseNotice(sent)).id, parsed.id);
      const broken = notice([{ key: 'x', state: 'Mailed', date: '2026-03-03T15:00:00.000Z' }]);
      await assert.rejects(async () => mailHouse.parseNotice(broken), { code: 'BAD_PARAMETER' });
      const other = { ...sent, source: sent.source === 'file' ? ('webhook' as const) : ('file' as const) };
      await assert.rejects(async () => mailHouse.parseNotice(other), { code: 'NO_PERMISSION' });
    },
  },
  {
    title: 'quotes sheets, and a cost that grows with the class, and reports whether it can submit',
    async check({ mailHouse }) {
      const plain = mailHouse.quote({ pages: 3, mailClass: 'First class' });
      const certified = mailHouse.quote({ pages: 3, mailClass: 'Certified with return receipt' });
      assert.ok(plain.sheets === 3 || plain.sheets === 2);
      assert.ok((plain.costCents ?? 0) <= (certified.costCents ?? 0));
      await mailHouse.check();
    },
  },
];
