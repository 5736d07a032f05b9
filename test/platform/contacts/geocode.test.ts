import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { addressParts } from '../../../src/modules/contacts/contact/lib/address/address-parts.ts';
import { places } from '../../../src/providers/geocoder/zip-table/zip-places.ts';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { startCensus } from '../../support/peers/census.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { anyCharacter } from '../../support/characters.ts';

const on = await testPlatform({ after }, { worker: true });
const census = await startCensus({ after });
census.knows({
  street: '4600 SILVER HILL RD',
  streetName: 'SILVER HILL',
  city: 'WASHINGTON',
  state: 'DC',
  zip: '20233',
  x: -76.9274,
  y: 38.846,
});
census.knows({
  street: '100 CONGRESS AVE',
  streetName: 'CONGRESS',
  city: 'AUSTIN',
  state: 'TX',
  zip: '78701',
  x: -97.7445,
  y: 30.2635,
});
census.knows({
  street: '7 OAK ST',
  streetName: 'OAK',
  city: 'SPRINGFIELD',
  state: 'IL',
  zip: '62701',
  x: -89.65,
  y: 39.8,
});
census.knows({
  street: '7 OAK ST',
  streetName: 'OAK',
  city: 'SPRINGFIELD',
  state: 'MO',
  zip: '65801',
  x: -93.29,
  y: 37.21,
});
const save = (module: string, body: object): Promise<Row> =>
  expectOk(on.admin.post(`/api/${module}/save?Output=Json`, body));
const newContact = async (body: object): Promise<number> => Number((await save('contact', body))['ContactID']);
const contactOf = (id: number): Promise<Row> => expectOk(on.admin.get(`/api/contact/${id}?Output=Json`));
const query = (values: object): string => new URLSearchParams({ Output: 'Json', ...values }).toString();
const rowsOf = (body: Row, name: string): Row[] =>
  Object.values(body[`${name}Collection`] as Record<string, Row[]>)[0] ?? [];
const geocode = async (values: object): Promise<Row[]> =>
  rowsOf(await expectOk(on.admin.get(`/api/contact/geocode?${query(values)}`)), 'Address');
const normalize = async (values: object, caller: Caller = on.admin): Promise<Row[]> =>
  rowsOf(await expectOk(caller.get(`/api/contact/normalize?${query(values)}`)), 'Contact');

/** Sets settings; null restores a default. */
async function settings(values: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await on.platform.store.query('delete from setting where setting = $1::text', [name]);
    if (value !== null)
      await on.platform.store.query('insert into setting (setting, value) values ($1::text, $2::text)', [name, value]);
  }
  on.platform.configuration.expire();
}

beforeEach(async () => {
  census.fault = undefined;
  census.received.length = 0;
  await settings({ GeocoderCensusUrl: census.url, OutboundHttpLoopback: 'true', GeocoderTimeoutSeconds: null });
});

/** Address lines with their expected parts: street, city, state, postal code. */
const lines: readonly (readonly [
  string,
  string | undefined,
  string | undefined,
  string | undefined,
  string | undefined,
])[] = [
  ['1005 N Gravenstein Hwy, Sebastopol, CA 95472', '1005 N Gravenstein Hwy', 'Sebastopol', 'CA', '95472'],
  ['RR 2 Box 152, Sulphur Springs, TX 75482', 'RR 2 Box 152', 'Sulphur Springs', 'TX', '75482'],
  ['350 Fifth Ave, Fl 34, New York, NY 10118', '350 Fifth Ave, Fl 34', 'New York', 'NY', '10118'],
  ['350 Fifth Ave Fl 34 New York NY 10118-0110', '350 Fifth Ave Fl 34', 'New York', 'NY', '10118-0110'],
  ['123 1/2 Main St, Austin, TX 78701', '123 1/2 Main St', 'Austin', 'TX', '78701'],
  ['Calle 1 A-23 Urb Las Lomas, San Juan, PR 00921', 'Calle 1 A-23 Urb Las Lomas', 'San Juan', 'PR', '00921'],
  ['Calle Luna 5 San Juan Puerto Rico 00901', 'Calle Luna 5', 'San Juan', 'PR', '00901'],
  ['PO Box 123, Dallas TX 75201', 'PO Box 123', 'Dallas', 'TX', '75201'],
  ['123 Main St Apt 4B Springfield IL 62701-1234', '123 Main St Apt 4B', 'Springfield', 'IL', '62701-1234'],
  ['HC 1 Box 45, Alpine TX', 'HC 1 Box 45', 'Alpine', 'TX', undefined],
  ['1234 Elm St # 5 Dallas Texas 75201', '1234 Elm St # 5', 'Dallas', 'TX', '75201'],
  ['88 Virginia Ave, Charleston, West Virginia', '88 Virginia Ave', 'Charleston', 'WV', undefined],
  ['12 Lindell Blvd St. Louis MO 63108', '12 Lindell Blvd', 'St. Louis', 'MO', '63108'],
  ['1 First St\nSeattle, WA 98101\nUSA', '1 First St', 'Seattle', 'WA', '98101'],
  ['12 Oak Lane Smallvillage TX', '12 Oak Lane', 'Smallvillage', 'TX', undefined],
  ['100 Congress Ave 78701', '100 Congress Ave', 'Austin', 'TX', '78701'],
  ['78701', undefined, 'Austin', 'TX', '78701'],
  ['Austin, TX', undefined, 'Austin', 'TX', undefined],
  ['100 Main Street', '100 Main Street', undefined, undefined, undefined],
];

describe('addressparts', () => {
  for (const [line, Address, City, State, PostalCode] of lines) {
    it(`CON-04 ${line.replaceAll('\n', ' / ')}`, async () => {
      const {
        Address: street,
        City: city,
        State: state,
        PostalCode: code,
      } = await expectOk(on.admin.get(`/api/contact/addressparts?${query({ Address: line })}`));
      assert.deepEqual([street, city, state, code], [Address, City, State, PostalCode]);
    });
  }

  it('CON-04 accepts any line without an error, and adds nothing that the line or its postal code does not say', async () => {
    const word = fc.constantFrom(
      '12',
      '1/2',
      'Main',
      'St',
      'Apt',
      '#',
      ',',
      ',,',
      'TX',
      'New',
      'York',
      'Puerto',
      'Rico',
      '75201',
      '75201-1',
      'PO Box',
      'RR',
      'Box',
      '__proto__',
      'constructor',
      '\n',
      'é',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter, maxLength: 400 }),
          fc.array(word, { maxLength: 14 }).map((words) => words.join(' ')),
        ),
        (line) => {
          const parts = addressParts(line, places);
          for (const [name, value] of Object.entries(parts)) {
            assert.ok(typeof value === 'string' && value !== '', name);
            if (name === 'Address')
              assert.ok(
                line.replace(/[\s,;]+/g, '').includes(value.replace(/[\s,;]+/g, '')),
                `${JSON.stringify(line)} has no street ${JSON.stringify(value)}`,
              );
          }
        },
      ),
    );
    for (const line of [
      '1 '.repeat(150),
      ','.repeat(300),
      `${'a '.repeat(140)}TX`,
      'St '.repeat(100),
      '1 & 2 & '.repeat(37),
    ])
      addressParts(line, places);
    await expectRefused(on.admin.get('/api/contact/addressparts?Output=Json'), 'MISSING_PARAMETER', 'Address');
    await expectRefused(
      on.admin.get(`/api/contact/addressparts?${query({ Address: 'x'.repeat(301) })}`),
      'BAD_PARAMETER',
      'Address',
    );
  });
});

describe('geocode', () => {
  it('CON-03 RUL-13 requires Address with PostalCode, or City with State, and names what is missing', async () => {
    for (const [values, field] of [
      [{}, 'Address'],
      [{ Address: '1 Main St' }, 'PostalCode'],
      [{ PostalCode: '78701' }, 'Address'],
      [{ City: 'Austin' }, 'State'],
      [{ State: 'TX' }, 'City'],
      [{ Address: '1 Main St', City: 'Austin' }, 'State'],
      [{ Address: ' ', PostalCode: '78701' }, 'Address'],
    ] as const) {
      await expectRefused(
        on.admin.get(`/api/contact/geocode?${query(values)}`),
        'MISSING_PARAMETER',
        field,
        /Address and PostalCode, or City and State/,
      );
    }
    await expectRefused(
      on.admin.get(`/api/contact/geocode?${query({ City: 'Austin', State: 'TX', Confidence: '101' })}`),
      'BAD_PARAMETER',
      'Confidence',
    );
    await expectRefused(
      on.admin.get(`/api/contact/geocode?${query({ City: 'Austin', State: 'TX', Provider: 'Nobody' })}`),
      'UNKNOWN_PROVIDER',
      '',
    );
  });

  it('CON-03 returns candidates best first without saving, from the geocoder that finds the building', async () => {
    const [best, ...others] = await geocode({
      Address: '4600 silver hill road Apt 2',
      City: 'Washington',
      State: 'dc',
      PostalCode: '20233',
    });
    assert.deepEqual(best, {
      Address: '4600 Silver Hill Rd Apt 2',
      City: 'Washington',
      State: 'DC',
      PostalCode: '20233',
      Country: 'US',
      Latitude: 38.846,
      Longitude: -76.9274,
      Confidence: 100,
      MatchLevel: 'Address',
      Provider: 'CensusGeocoder',
    });
    assert.deepEqual(others, []);
    assert.equal(census.received.length, 1);
    const several = await geocode({ Address: '7 Oak St', City: 'Springfield', State: 'MO' });
    assert.deepEqual(several.map((row) => row['State']).slice(0, 1), ['MO']);
    assert.deepEqual(
      several.map((row) => Number(row['Confidence'])),
      several.map((row) => Number(row['Confidence'])).sort((a, b) => b - a),
    );
  });

  it('CON-03 without an external geocoder returns the center of the area, with a confidence too low to pass for the building', async () => {
    await settings({ GeocoderCensusUrl: null });
    const [best] = await geocode({ Address: '100 Congress Ave', PostalCode: '78701' });
    assert.deepEqual(
      [best?.['Address'], best?.['City'], best?.['MatchLevel'], best?.['Provider']],
      ['100 Congress Ave', 'Austin', 'PostalCode', 'ZipTableGeocoder'],
    );
    assert.ok(Number(best?.['Confidence']) < 80);
    assert.ok((await geocode({ City: 'Austin', State: 'Texas' })).length > 1);
    assert.deepEqual(await geocode({ City: 'Nowhere at all', State: 'TX' }), []);
    assert.deepEqual(await geocode({ Address: '1 Rue', PostalCode: '75001', Country: 'France' }), []);
    assert.equal(census.received.length, 0);
    await expectRefused(
      on.admin.get(`/api/contact/geocode?${query({ City: 'Austin', State: 'TX', Provider: 'CensusGeocoder' })}`),
      'UNAVAILABLE',
      'Provider',
    );
  });

  const faults: readonly (readonly [string, NonNullable<typeof census.fault>])[] = [
    ['answers 500', (response) => void response.writeHead(500).end('no')],
    ['asks for a pause', (response) => void response.writeHead(429, { 'Retry-After': '120' }).end()],
    ['redirects', (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/geocoder' }).end()],
    ['answers no JSON', (response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>')],
    [
      'answers JSON of another shape',
      (response) => void response.writeHead(200).end('{"result":{"addressMatches":{"length":1}}}'),
    ],
    ['answers incompletely', (response) => void response.writeHead(200).write('{"result"', () => response.destroy())],
    ['answers more than the limit', (response) => void response.writeHead(200).end(`["${'x'.repeat(1_000_000)}"]`)],
    ['never answers', () => undefined],
    ['hangs up', (response) => void response.destroy()],
  ];
  for (const [what, fault] of faults) {
    it(`CON-03 skips a geocoder that ${what} with an alert, or fails as unavailable if it is the only one requested`, async () => {
      census.fault = fault;
      await settings({ GeocoderTimeoutSeconds: '1' });
      const answer = await expectOk(
        on.admin.get(`/api/contact/geocode?${query({ Address: '100 Congress Ave', PostalCode: '78701' })}`),
      );
      assert.equal(rowsOf(answer, 'Address')[0]?.['Provider'], 'ZipTableGeocoder');
      assert.match(JSON.stringify(answer['Alerts']), /CensusGeocoder did not answer/);
      await expectRefused(
        on.admin.get(
          `/api/contact/geocode?${query({
            Address: '100 Congress Ave',
            PostalCode: '78701',
            Provider: 'CensusGeocoder',
          })}`,
        ),
        'UNAVAILABLE',
        '',
        what.startsWith('asks') ? /120 seconds/ : /did not answer/,
      );
    });
  }

  it('CON-03 leaves out matches without coordinates or with a missing part', async () => {
    const match = (x: unknown, y: unknown, more: object = {}): object => ({
      coordinates: { x, y },
      addressComponents: { zip: '78701', streetName: 'CONGRESS', city: 'AUSTIN', state: 'TX' },
      matchedAddress: '100 CONGRESS AVE, AUSTIN, TX, 78701',
      ...more,
    });
    census.fault = (response) =>
      void response.writeHead(200).end(
        JSON.stringify({
          result: {
            addressMatches: [
              match(999, 0),
              match('1', '2'),
              match(0, 91),
              null,
              'x',
              match(1, 2, { matchedAddress: 7 }),
              match(1, 2, { addressComponents: null }),
              match(-97.7, 30.2),
            ],
          },
        }),
      );
    const found = await geocode({ Address: '100 Congress Ave', PostalCode: '78701', Provider: 'CensusGeocoder' });
    assert.deepEqual(
      found.map((row) => [row['Latitude'], row['Longitude']]),
      [[30.2, -97.7]],
    );
  });

  it('CON-03 sends nothing to an internal address that the settings do not name', async () => {
    await settings({ OutboundHttpLoopback: null });
    await expectRefused(
      on.admin.get(
        `/api/contact/geocode?${query({
          Address: '100 Congress Ave',
          PostalCode: '78701',
          Provider: 'CensusGeocoder',
        })}`,
      ),
      'UNAVAILABLE',
      '',
      /ADDRESS_REFUSED/,
    );
    assert.equal(census.received.length, 0);
  });
});

describe('normalize', () => {
  it('CON-03 saves address, location, verifier and time if the best match has enough confidence', async () => {
    const id = await newContact({ LastName: 'Norm', Address: '100 congress avenue  suite 300', PostalCode: '78701' });
    assert.deepEqual(await normalize({ ID: id }), [
      { ContactID: id, Outcome: 'Saved', Confidence: 100, Provider: 'CensusGeocoder' },
    ]);
    const contact = await contactOf(id);
    assert.deepEqual(
      ['Address', 'City', 'State', 'PostalCode', 'Latitude', 'Longitude', 'VerifiedSource'].map(
        (name) => contact[name],
      ),
      ['100 Congress Ave suite 300', 'Austin', 'TX', '78701', 30.2635, -97.7445, 'CensusGeocoder'],
    );
    assert.match(String(contact['VerifiedDate']), /^\d{4}-/);
    const organization = await save('organization', {
      Organization: 'Placed Inc',
      Address: '4600 silver hill road',
      City: 'Washington',
      State: 'DC',
    });
    assert.deepEqual(
      (await normalize({ ID: organization['OrganizationID'] })).map((row) => row['Outcome']),
      ['Saved'],
    );
    assert.deepEqual(
      [
        (await expectOk(on.admin.get(`/api/organization/${String(organization['OrganizationID'])}?Output=Json`)))[
          'PostalCode'
        ],
        organization['Organization'],
      ],
      ['20233', 'Placed Inc'],
    );
  });

  it('CON-03 leaves the other contacts unchanged and gives the reason for each', async () => {
    const ids = [
      await newContact({ LastName: 'a', Address: '1 Unknown St', PostalCode: '78701' }),
      await newContact({ LastName: 'b', Address: '1 Main St' }),
      await newContact({ LastName: 'c', Address: '1 Main', PostalCode: '00000' }),
      await newContact({ LastName: 'd', Address: '100 Congress Ave', PostalCode: '78701' }),
    ];
    const before = await Promise.all(ids.map(contactOf));
    const normalized = await normalize({ ID: ids.join(',') });
    assert.deepEqual(
      normalized.map((row) => [row['ContactID'], row['Outcome']]),
      [
        [ids[0], 'Low Confidence'],
        [ids[1], 'Incomplete'],
        [ids[2], 'Not Found'],
        [ids[3], 'Saved'],
      ],
    );
    assert.match(String(normalized[0]?.['Reason']), /below 80/);
    assert.match(String(normalized[1]?.['Reason']), /no PostalCode/);
    assert.deepEqual(await Promise.all(ids.slice(0, 3).map(contactOf)), before.slice(0, 3));
    assert.deepEqual(
      (await normalize({ ID: ids[0], Confidence: '60', Provider: 'ziptablegeocoder' })).map((row) => row['Outcome']),
      ['Saved'],
    );
    const now = await contactOf(ids[0] ?? 0);
    assert.deepEqual(
      [now['Address'], now['City'], now['VerifiedSource']],
      ['1 Unknown St', 'Austin', 'ZipTableGeocoder'],
    );
  });

  it('CON-03 on a fresh installation the default confidence is what its geocoder reaches, with a warning; a confidence that is sent stays', async () => {
    const id = await newContact({ LastName: 'fresh', Address: '1 Unknown St', PostalCode: '78701', State: 'TX' });
    const call = async (more: string): Promise<Record<string, unknown>> =>
      expectOk(on.admin.get(`/api/contact/normalize?Output=Json&ID=${id}${more}`));
    const outcomeOf = (body: Record<string, unknown>): unknown =>
      JSON.stringify(body).match(/"Outcome":"([^"]*)"/)?.[1];
    const codes = (body: Record<string, unknown>): unknown =>
      ((body['Alerts'] ?? []) as { Code: string }[]).map(({ Code }) => Code);
    const configured = await call('');
    assert.deepEqual([outcomeOf(configured), codes(configured)], ['Low Confidence', []]);
    await settings({ GeocoderCensusUrl: null });
    const demanding = await call('&Confidence=80');
    assert.deepEqual([outcomeOf(demanding), codes(demanding)], ['Low Confidence', []]);
    const fresh = await call('');
    assert.deepEqual([outcomeOf(fresh), codes(fresh)], ['Saved', ['CONFIDENCE_LOWERED']]);
    const now = await contactOf(id);
    assert.deepEqual(
      [now['Address'], now['City'], now['VerifiedSource']],
      ['1 Unknown St', 'Austin', 'ZipTableGeocoder'],
    );
  });

  it('CON-03 tries a failing geocoder three times per call, and one that asks to back off once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        newContact({ LastName: `f${n}`, Address: '100 Congress Ave', PostalCode: '78701' }),
      ),
    );
    census.fault = (response) => void response.writeHead(503).end();
    const normalized = await normalize({ ID: ids.join(',') });
    assert.deepEqual([...new Set(normalized.map((row) => row['Outcome']))], ['Low Confidence']);
    assert.match(String(normalized[5]?.['Reason']), /CensusGeocoder did not answer \(HTTP 503\)/);
    assert.equal(census.received.length, 3);
    census.received.length = 0;
    census.fault = (response) => void response.writeHead(503, { 'Retry-After': '60' }).end();
    assert.deepEqual(
      [...new Set((await normalize({ ID: ids.join(','), Provider: 'CensusGeocoder' })).map((row) => row['Outcome']))],
      ['Unavailable'],
    );
    assert.equal(census.received.length, 1);
  });

  it('CON-03 leaves a contact alone that is changed during the lookup of its address', async () => {
    const id = await newContact({ LastName: 'Moving', Address: '100 Congress Ave', PostalCode: '78701' });
    census.fault = (response, received) => {
      void save('contact', { ID: id, Address: '4600 Silver Hill Rd', PostalCode: '20233' }).then(() => {
        census.fault = undefined;
        return fetch(new URL(received.path, census.url)).then(async (answer) =>
          response.writeHead(200).end(await answer.text()),
        );
      });
    };
    assert.deepEqual(
      (await normalize({ ID: id })).map((row) => row['Outcome']),
      ['Changed'],
    );
    assert.equal((await contactOf(id))['Address'], '4600 Silver Hill Rd');
    assert.deepEqual(
      (await normalize({ ID: id })).map((row) => row['Outcome']),
      ['Saved'],
    );
  });

  it('CON-03 works from the queue for many contacts, each in its own transaction, none of them open during the lookup', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        newContact({ LastName: `q${n}`, Address: '100 Congress Ave', PostalCode: '78701' }),
      ),
    );
    let open = -1;
    census.fault = (response, received) => {
      census.fault = undefined;
      void on.platform.store
        .query<{ n: number }>(
          `select count(*)::integer as n from pg_stat_activity
           where datname = current_database() and state like 'idle in transaction%'`,
        )
        .then(async ([row]) => {
          open = row?.n ?? -1;
          response.writeHead(200).end(await (await fetch(new URL(received.path, census.url))).text());
        });
    };
    const queued = await on.admin.get(`/api/contact/queue/normalize?${query({ ID: ids.join(',') })}`);
    assert.equal(queued.status, 202, queued.text);
    await eventually(
      'all are verified',
      async () =>
        (
          await on.platform.store.query(
            'select 1 from contact where contactid = any($1::bigint[]) and verifieddate is not null',
            [`{${ids.join(',')}}`],
          )
        ).length === ids.length,
    );
    assert.equal(open, 0);
  });

  it('CON-03 queues the contacts left when the time of the call is over, and says so in its result', async () => {
    await settings({ NormalizeRunSeconds: '0' });
    const ids = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        newContact({ LastName: `r${n}`, Address: '100 Congress Ave', PostalCode: '78701' }),
      ),
    );
    const answer = await expectOk(on.admin.get(`/api/contact/normalize?${query({ ID: ids.join(',') })}`));
    assert.deepEqual(
      rowsOf(answer, 'Contact').map((row) => row['Outcome']),
      ['Saved', 'Queued', 'Queued', 'Queued'],
    );
    assert.match(JSON.stringify(answer['Alerts']), /3 contacts remain; a queued call continues with them/);
    await eventually(
      'all are verified',
      async () =>
        (
          await on.platform.store.query(
            'select 1 from contact where contactid = any($1::bigint[]) and verifieddate is not null',
            [`{${ids.join(',')}}`],
          )
        ).length === ids.length,
    );
    await settings({ NormalizeRunSeconds: null });
  });

  it('CON-03 one contact that the caller cannot see fails the whole call, and no geocoder is queried', async () => {
    await save('role', { Role: 'Normalizer', Permissions: 'ContactNormalize *Select' });
    const firm = await on.firm('Normalizing', 'Normalizer');
    const [own, other] = [
      await newContact({
        LastName: 'o',
        Address: '100 Congress Ave',
        PostalCode: '78701',
        Object: 'Organization',
        ObjectID: firm.organizationId,
      }),
      await newContact({ LastName: 'x', Address: '100 Congress Ave', PostalCode: '78701' }),
    ];
    assert.equal((await firm.caller.get(`/api/contact/normalize?${query({ ID: `${own},${other}` })}`)).status, 404);
    assert.equal(census.received.length, 0);
    assert.deepEqual(
      (await normalize({ ID: own }, firm.caller)).map((row) => row['Outcome']),
      ['Saved'],
    );
  });
});
