import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { batchEnded } from '../../support/imports/batches.ts';
import { testPlatform } from '../../support/platform.ts';

const NUMBER = '900-24-7719';
const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
const { store, registry } = p.platform;
const firm = await p.firm('Schedules');
const contact = Number((await admin.save('contact', { LastName: 'Secret', USSSN: NUMBER }))['ContactID']);

/** The operations whose answers contain secrets, as signatures that a person may call. */
const signatures = [
  `Contact/UnmaskSSN?ID=${contact}`,
  `Contact/UnmaskSSN/${contact}`,
  'contact/unmaskssn?ID={ContactID}',
  'ImportFileQueue/Select?ID=1&Unmask=true',
  'ImportFileQueue/Select?ID=1&Unmask={ID}',
  'ScoreItem/Select?ID=1&Unmask=1',
  'Score/PivotByTemplate?Template=Any&unmask=yes',
  'Score/AnalyzeByTemplate?Template=Any&Unmask=on',
  'Score/AnalyzeByObject?Object=Loan&Unmask=true',
  'ApiKey/Create?PersonID=1',
  'Webhook/Create?URL=https://hook.example/&Events=Loan.Update',
  'Webhook/RotateSecret?ID=1',
  'SftpAccount/SetPassword?ID=1',
];

const firstOf = (signature: string): readonly [object: string, operation: string, parameters: string] => {
  const [route = '', parameters = ''] = signature.split('?');
  const at = route.indexOf('/');
  return [route.slice(0, at), route.slice(at + 1), parameters];
};

/** Every place that stores a call: saving one must be refused, naming the field. */
const places: Readonly<
  Record<string, (signature: string) => readonly [route: string, parameters: object, field: string]>
> = {
  'score Method': (Method) => [
    'scoretemplate/save',
    { ScoreTemplate: 'Stored', ScoreEngine: 'ApiEngine', AppliesTo: 'Contact', Method },
    'Method',
  ],
  'batch Signature': (Signature) => [
    'importfile/batch',
    { ClassName: 'Contact', Operation: 'Search', ContactID: contact, Signature },
    'Signature',
  ],
  ...Object.fromEntries(
    ['ResultMethod', 'EndImportMethod', 'ValidateStatement'].map((name) => [
      name,
      (signature: string) =>
        [
          'importfiletemplate/save',
          { ImportFileTemplate: 'Stored', AppliesTo: 'Contact', ImportEngine: 'DelimitedEngine', [name]: signature },
          name,
        ] as const,
    ]),
  ),
  'step Method': (Method) => [
    'decisiontemplate/save',
    {
      DecisionTemplate: 'Stored',
      AppliesTo: 'Contact',
      Steps: [{ DecisionStepTemplate: 'One', Object: 'Contact', Operation: 'Search', Method }],
    },
    'Method',
  ],
  'step Operation': (signature) => {
    const [Object, Operation, Parameters] = firstOf(signature);
    return [
      'decisiontemplate/save',
      {
        DecisionTemplate: 'Stored',
        AppliesTo: 'Contact',
        Steps: [{ DecisionStepTemplate: 'One', Object, Operation, Parameters }],
      },
      '',
    ];
  },
  'organization schedule': (Signature) => [
    'organization/schedule/listen',
    { ID: firm.organizationId, PersonID: firm.personId, ScheduleName: 'Daily @ 3am', Signature },
    'Signature',
  ],
  'registration processes': (signature) => [
    'setting/save',
    { Setting: 'RegistrationProcesses', Value: `Welcome: ${signature}` },
    '',
  ],
};

const unmaskedEntries = async (): Promise<number> =>
  (await store.query("select 1 from securitylog where securitylog in ('SSNUnmasked', 'ParametersUnmasked', 'KeyMade')"))
    .length;

describe('KRN-21 answers with secrets', () => {
  it('KRN-21 KRN-08 cannot be named in configuration: every place that stores a call refuses it when it is saved', async () => {
    const before = await unmaskedEntries();
    for (const [place, request] of Object.entries(places))
      for (const signature of signatures) {
        const [route, parameters, field] = request(signature);
        const { message, field: named } = await admin.expectRefused(route, parameters, 'BAD_SIGNATURE');
        assert.match(
          message,
          /returns secrets in the clear, so configuration cannot name it/,
          `${place}: ${signature}`,
        );
        if (field !== '') assert.equal(named, field, place);
      }
    assert.equal(await unmaskedEntries(), before);
    await admin.expectRefused(
      'scoretemplate/save',
      { ScoreTemplate: 'Masked ones stay', ScoreEngine: 'ApiEngine', Method: 'ScoreItem/Selekt?ID=1&Unmask=false' },
      'BAD_SIGNATURE',
    );
    await admin.save('importfiletemplate', {
      ImportFileTemplate: 'Masked',
      AppliesTo: 'Contact',
      ImportEngine: 'DelimitedEngine',
      ResultMethod: 'ScoreItem/Select?ID=1&Unmask=false',
    });
  });

  it('KRN-21 SCO-01 are not stored by a score whose template was saved before: calculating it is refused, and nothing is logged as unmasked', async () => {
    const { ScoreTemplateID } = await admin.save('scoretemplate', {
      ScoreTemplate: 'Old',
      ScoreEngine: 'ApiEngine',
      AppliesTo: 'Contact',
      Method: `Contact/Search?ContactID=${contact}`,
    });
    await admin.save('scoreitemtemplate', { ScoreItemTemplate: 'USSSN', ScoreTemplateID });
    await store.query('update scoretemplate set method = $1::text where scoretemplateid = $2::bigint', [
      `Contact/UnmaskSSN?ID=${contact}`,
      Number(ScoreTemplateID),
    ]);
    p.platform.configuration.expire();
    const before = await unmaskedEntries();
    const { message } = await admin.expectRefused(
      'score/calculate',
      { Template: 'Old', Object: 'Contact', ObjectID: contact },
      'NO_PERMISSION',
    );
    assert.match(message, /UnmaskSSN returns secrets in the clear\. Call it directly/);
    assert.equal(await unmaskedEntries(), before);
    const items = await store.query<{ row: string }>('select scoreitem::text as row from scoreitem');
    for (const { row } of items) assert.doesNotMatch(row, /900-?24-?7719/);
  });

  it('KRN-21 IMP-10 a row of a batch that names one fails, whatever column or constant names it', async () => {
    await admin.save('importfiletemplate', {
      ImportFileTemplate: 'Rows',
      AppliesTo: 'Contact',
      ImportEngine: 'BatchReader',
      ImportOperationsAllowed: 7,
    });
    const sent = await p.admin.send(
      'POST',
      '/api/importfile/importbyobject?Output=Json&Template=Rows',
      [
        'ClassName,Operation,ID',
        ...['UnmaskSSN', 'queue/UnmaskSSN', 'Select'].map((name) => `Contact,${name},${contact}`),
      ].join('\n'),
      { 'Content-Type': 'text/plain' },
    );
    const root = sent.json() as unknown as { ImportResults?: { ID: number }; ImportFileID?: number };
    const id = Number(root.ImportResults?.ID ?? root.ImportFileID);
    await batchEnded(p, id);
    const rows = await store.query<{ status: string; message: string | null }>(
      'select status, message from importfilequeue where importfileid = $1::bigint order by sourceline',
      [id],
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['Error', 'Error', 'Complete'],
      sent.text,
    );
    for (const { message } of rows.slice(0, 2)) assert.match(String(message), /returns secrets in the clear/);
  });

  it('KRN-21 KRN-02 cannot be queued, once or recurring, and what was queued before the upgrade is not run', async () => {
    const before = await unmaskedEntries();
    const marked = registry.operations().filter(({ secretAnswer }) => secretAnswer !== undefined);
    assert.ok(marked.length >= 10);
    for (const { route, secretAnswer } of marked) {
      const path = route.replace('/', '/queue/');
      for (const more of [{}, { ScheduleName: 'Daily @ 3am' }]) {
        const { message } = await admin.expectRefused(
          path,
          { ID: contact, ...(typeof secretAnswer === 'string' ? { [secretAnswer]: true } : {}), ...more },
          'NO_PERMISSION',
        );
        assert.match(message, /queues and agents cannot/, route);
      }
    }
    const messageId = crypto.randomUUID();
    const [person] = await store.query<{ id: number }>(
      "select personid as id from person where person = 'administrator'",
    );
    await p.platform.queue.send(store, [
      {
        route: 'contact/unmaskssn',
        parameters: { ID: contact },
        personId: Number(person?.id),
        correlationId: 'c',
        cause: ['UnmaskSSN'],
        messageId,
        label: 'old',
      },
    ]);
    const found = await eventually('the old message has ended', async () => {
      const answer = await admin.send('queue/search', { QueueLabel: 'old' });
      return /"State":"(?:completed|dead)"/.test(answer.text) && answer.text;
    });
    assert.match(found, /"State":"dead"/);
    assert.match(found, /"ErrorCode":"NO_PERMISSION"/);
    assert.equal(await unmaskedEntries(), before);
  });

  it('KRN-21 CON-06 are answered to a direct call, which is logged with its address', async () => {
    const before = await unmaskedEntries();
    const [row] = await admin.expectRows('contact/unmaskssn', { ID: contact });
    assert.equal(row?.['USSSN'], NUMBER);
    assert.equal(await unmaskedEntries(), before + 1);
    const [entry] = await store.query<{ address: string }>(
      "select address from securitylog where securitylog = 'SSNUnmasked' order by securitylogid desc limit 1",
    );
    assert.equal(entry?.address, '127.0.0.1');
  });

  it('KRN-21 every operation whose result declares a secret is marked', () => {
    // Names under which answers return secrets. A new operation that returns one must be marked.
    const secretNames = /^(?:USSSN|Password|ApiKey|Secret|ParameterXml)$/;
    for (const operation of registry.operations()) {
      const { returns, rows, route, module } = operation;
      const fields = { ...(typeof returns === 'object' ? returns : {}), ...rows };
      const secrets = Object.keys(fields).filter((name) => secretNames.test(name) && fields[name]?.kind !== 'ssn');
      if (secrets.length > 0 && module !== 'setting')
        assert.notEqual(operation.secretAnswer, undefined, `${route} returns ${secrets.join()}`);
    }
  });
});
