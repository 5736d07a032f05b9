import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalEmail, canonicalTelephone } from '../../../src/modules/contacts/contactmethod/lib/contact-value.ts';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const on = await testPlatform({ after });
const save = (module: string, body: object, caller: Caller = on.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const newContact = async (body: object = {}): Promise<number> =>
  Number((await save('contact', { LastName: 'Sample', ...body }))['ContactID']);

/** Returns the stored methods of a contact: values by type, in order. */
async function methodsOf(contactId: unknown): Promise<Record<string, (string | null)[]>> {
  const rows = await on.platform.store.query<{ type: string; value: string | null }>(
    `select methodtype as type, contactvalue as value
     from contactmethod
     where contactid = $1::bigint
     order by contactmethodid`,
    [contactId],
  );
  const found: Record<string, (string | null)[]> = {};
  for (const { type, value } of rows) (found[type] ??= []).push(value);
  return found;
}

/** Sets a setting; null restores its default. */
async function setting(name: string, value: string | null): Promise<void> {
  await on.platform.store.query('delete from setting where setting = $1::text', [name]);
  if (value !== null)
    await on.platform.store.query('insert into setting (setting, value) values ($1::text, $2::text)', [name, value]);
  on.platform.configuration.expire();
}

describe('contact methods as parameters', () => {
  beforeEach(async () => {
    await setting('ContactMethodUniqueByType', null);
    await setting('ContactMethodTypes', null);
  });

  it('CON-01 a parameter named after a method type creates that method, when the contact is created and later', async () => {
    const id = await newContact({ Email: ' Jane.Doe@Example.COM ', phone: '303.555.0100' });
    await expectRefused(
      on.admin.post('/api/contact/save?Output=Json', { ID: id, Email: ['a@example.com', 'b@example.com'] }),
      'BAD_PARAMETER',
      'Email',
      /expected one value: there is only one Email of each record/,
    );
    assert.deepEqual(await methodsOf(id), { Email: ['Jane.Doe@example.com'], Phone: ['(303) 555-0100'] });
    await save('contact', { ID: id, HomePhone: '+44 20 7946 0000', Fax: '1-303-555-0101 ext. 7' });
    assert.deepEqual(await methodsOf(id), {
      Email: ['Jane.Doe@example.com'],
      Phone: ['(303) 555-0100'],
      'Home Phone': ['+44 20 7946 0000'],
      Fax: ['(303) 555-0101 x7'],
    });
  });

  it('CON-02 a new value changes the existing method, an empty one removes it, and an equal one changes nothing', async () => {
    const id = await newContact({ Email: 'a@example.com', Mobile: '3035550102' });
    const [before] = await on.platform.store.query<{ id: number }>(
      `select contactmethodid as id from contactmethod where contactid = $1::bigint and methodtype = 'Email'`,
      [id],
    );
    await save('contact', { ID: id, Email: 'b@example.com' });
    const [now] = await on.platform.store.query<{ id: number; value: string }>(
      `select contactmethodid as id, contactvalue as value
       from contactmethod
       where contactid = $1::bigint and methodtype = 'Email'`,
      [id],
    );
    assert.deepEqual([now?.id, now?.value], [before?.id, 'b@example.com']);
    await save('contact', { ID: id, Email: '' });
    await save('contact', { ID: id, Email: '' });
    assert.deepEqual(await methodsOf(id), { Mobile: ['(303) 555-0102'] });
    const stored = await on.platform.store.query(
      `select 1 from history where tablename = 'contactmethod' and recordid = $1::bigint and change = 'delete'`,
      [before?.id],
    );
    assert.equal(stored.length, 1);
    assert.deepEqual(await methodsOf(await newContact({ Email: '', Phone: null })), {});
  });

  it('CON-02 the same applies to methods saved on their own, and to nested ones with an explicit type', async () => {
    const id = await newContact({
      Methods: [
        { MethodType: 'email', ContactValue: 'a@example.com' },
        { MethodType: 'Pager', ContactValue: '12' },
      ],
    });
    assert.deepEqual(await methodsOf(id), { Email: ['a@example.com'], Pager: ['12'] });
    const changed = await save('contactmethod', { ContactID: id, MethodType: 'EMAIL', ContactValue: 'c@example.com' });
    assert.equal(changed['MethodType'], 'Email');
    await save('contact', { ID: id, Methods: [{ MethodType: 'Pager', ContactValue: '13' }] });
    assert.deepEqual(await methodsOf(id), { Email: ['c@example.com'], Pager: ['13'] });
    const spelled = await newContact({
      HomePhone: '3035550107',
      Methods: [{ MethodType: 'homephone', ContactValue: '3035550108' }],
    });
    await save('contactmethod', { ContactID: spelled, MethodType: 'HOME PHONE', ContactValue: '3035550109' });
    await save('contactmethod', { ContactID: spelled, MethodType: 'Home\u00e9', ContactValue: '1' });
    await save('contactmethod', { ContactID: spelled, MethodType: 'homee', ContactValue: '2' });
    assert.deepEqual(await methodsOf(spelled), { 'Home Phone': ['(303) 555-0109'], homee: ['2'] });
    await save('contactmethod', { ID: changed['ContactMethodID'], ContactValue: '' });
    await save('contactmethod', { ContactID: id, MethodType: 'Pager', ContactValue: '' });
    assert.deepEqual(await methodsOf(id), {});
    await save('contactmethod', { ContactID: id, MethodType: 'Pager', ContactValue: '14' });
    await expectRefused(
      on.admin.post('/api/contactmethod/insert?Output=Json', {
        ContactID: id,
        MethodType: 'pager',
        ContactValue: '15',
      }),
      'DUPLICATE_KEY',
      'MethodType',
    );
    const other = await save('contactmethod', { ContactID: id, MethodType: 'Radio', ContactValue: '1' });
    await expectRefused(
      on.admin.post('/api/contactmethod/update?Output=Json', { ID: other['ContactMethodID'], MethodType: 'Pager' }),
      'DUPLICATE_KEY',
      'MethodType',
    );
  });

  it('CON-02 of two concurrent saves, one creates the method and the other changes it', async () => {
    const id = await newContact();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        on.admin.post(
          '/api/contact/save?Output=Json',
          i % 2 === 0
            ? { ID: id, Email: `n${i}@example.com` }
            : { ID: id, Methods: [{ MethodType: 'Email', ContactValue: `n${i}@example.com` }] },
        ),
      ),
    );
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.equal((await methodsOf(id))['Email']?.length, 1);
  });

  it('CON-11 with ContactMethodUniqueByType off, a contact has several methods of a type; a repeated value is not added, and an empty one is ignored', async () => {
    await setting('ContactMethodUniqueByType', 'false');
    const id = await newContact({ Email: ['a@example.com', 'b@example.com'] });
    await save('contact', { ID: id, Email: 'c@example.com' });
    await save('contact', { ID: id, Email: 'A@example.com', Phone: '' });
    await save('contact', { ID: id, Email: '' });
    assert.deepEqual(
      (await methodsOf(id))['Email']?.map((value) => value?.toLowerCase()),
      ['a@example.com', 'b@example.com', 'c@example.com'],
    );
    await save('contactmethod', { ContactID: id, MethodType: 'Email', ContactValue: 'd@example.com' });
    assert.equal((await methodsOf(id))['Email']?.length, 4);
    await setting('ContactMethodUniqueByType', null);
    await save('contact', { ID: id, Email: '' });
    assert.deepEqual(await methodsOf(id), {});
  });

  it('CON-11 CON-02 switched on again, a new value changes the oldest of its type, however it is sent, and an empty one removes all', async () => {
    await setting('ContactMethodUniqueByType', 'false');
    const id = await newContact({ Email: ['a1@example.com', 'a2@example.com'], Phone: ['1', '2'] });
    await setting('ContactMethodUniqueByType', null);
    await save('contact', { ID: id, Email: 'b@example.com' });
    assert.deepEqual((await methodsOf(id))['Email'], ['b@example.com', 'a2@example.com']);
    await save('contact', { ID: id, Methods: [{ MethodType: 'Email', ContactValue: 'c@example.com' }] });
    await save('contactmethod', { ContactID: id, MethodType: 'EMAIL', ContactValue: 'd@example.com' });
    assert.deepEqual((await methodsOf(id))['Email'], ['d@example.com', 'a2@example.com']);
    const [first, second] = (
      await on.platform.store.query<{ id: number }>(
        `select contactmethodid as id
         from contactmethod
         where contactid = $1::bigint and methodtype = 'Phone'
         order by 1`,
        [id],
      )
    ).map((row) => row.id);
    // By its id each can be changed; none can become a second one of a type.
    await save('contactmethod', { ID: second, MethodType: 'phone', ContactValue: '3' });
    assert.deepEqual((await methodsOf(id))['Phone'], ['1', '3']);
    await expectRefused(
      on.admin.post('/api/contactmethod/save?Output=Json', { ID: first, MethodType: 'Email' }),
      'DUPLICATE_KEY',
      'MethodType',
    );
    await save('contact', { ID: id, Email: '' });
    assert.deepEqual(await methodsOf(id), { Phone: ['1', '3'] });
  });

  it('CON-02 two values of one type in one call are refused while each type is unique', async () => {
    await expectRefused(
      on.admin.post('/api/contact/save?Output=Json', { LastName: 'x', Email: ['a@example.com', 'b@example.com'] }),
      'BAD_PARAMETER',
      'Email',
    );
  });

  it('CON-11 one method per type is primary, the last one set; a method cannot end before it starts', async () => {
    await setting('ContactMethodUniqueByType', 'false');
    const id = await newContact({
      Methods: [
        { MethodType: 'Phone', ContactValue: '1', PrimaryMethod: true },
        {
          MethodType: 'Phone',
          ContactValue: '2',
          PrimaryMethod: true,
          ValidStart: '2026-01-01',
          ValidEnd: '2026-01-01',
          VerifiedSource: 'letter',
        },
        { MethodType: 'Fax', ContactValue: '3', PrimaryMethod: true },
      ],
    });
    const primary = async (): Promise<unknown[]> =>
      (
        await on.platform.store.query<{ value: string }>(
          'select contactvalue as value from contactmethod where contactid = $1::bigint and primarymethod order by 1',
          [id],
        )
      ).map((row) => row.value);
    assert.deepEqual(await primary(), ['2', '3']);
    const [first] = await on.platform.store.query<{ id: number }>(
      `select contactmethodid as id from contactmethod where contactid = $1::bigint and contactvalue = '1'`,
      [id],
    );
    await save('contactmethod', { ID: first?.id, PrimaryMethod: true });
    assert.deepEqual(await primary(), ['1', '3']);
    await save('contactmethod', { ID: first?.id, ValidStart: '2026-02-01' });
    await expectRefused(
      on.admin.post('/api/contactmethod/save?Output=Json', { ID: first?.id, ValidEnd: '2026-01-31' }),
      'BAD_PARAMETER',
      'ValidEnd',
    );
  });

  it('CON-15 organizations accept the same names, also as linked records and children', async () => {
    const organization = await save('organization', {
      Organization: 'Acme',
      Phone: '3035550100',
      Contacts: [{ LastName: 'Clerk', Email: 'clerk@example.com' }],
    });
    assert.deepEqual(await methodsOf(organization['OrganizationID']), { Phone: ['(303) 555-0100'] });
    const [clerk] = await on.platform.store.query<{ id: number }>(
      `select contactid as id from contact where object = 'Organization' and objectid = $1::bigint`,
      [organization['OrganizationID']],
    );
    assert.deepEqual(await methodsOf(clerk?.id), { Email: ['clerk@example.com'] });
    await save('organization', {
      ID: organization['OrganizationID'],
      Contacts_0_ID: clerk?.id,
      Contacts_0_Email: '',
      Phone: '',
    });
    assert.deepEqual([await methodsOf(organization['OrganizationID']), await methodsOf(clerk?.id)], [{}, {}]);
    const child = await save('contact', {
      LastName: 'Child',
      ParentContact_LastName: 'Parent',
      ParentContact_Email: 'parent@example.com',
    });
    assert.deepEqual(await methodsOf(child['ParentContactID']), { Email: ['parent@example.com'] });
  });

  it('CON-01 the types are a setting; an unknown name is an error that lists the nearest ones, and nothing is saved', async () => {
    await expectRefused(
      on.admin.post('/api/contact/save?Output=Json', { LastName: 'Nobody', Emial: 'a@example.com' }),
      'UNKNOWN_PARAMETER',
      'Emial',
      /Did you mean Email/,
    );
    await expectRefused(
      on.admin.post('/api/contact/save?Output=Json', { LastName: 'Nobody', Beeper: '1' }),
      'UNKNOWN_PARAMETER',
      'Beeper',
    );
    await setting('ContactMethodTypes', 'Beeper, E Mail');
    const id = await newContact({ Beeper: '1', EMail: 'a@example.com' });
    assert.deepEqual(await methodsOf(id), { Beeper: ['1'], 'E Mail': ['a@example.com'] });
    await expectRefused(
      on.admin.post('/api/contact/queue/save?Output=Json', { LastName: 'Nobody', Phone: '1' }),
      'UNKNOWN_PARAMETER',
      'Phone',
    );
    assert.equal((await on.platform.store.query(`select 1 from contact where lastname = 'Nobody'`)).length, 0);
  });

  it('CON-01 CON-02 imported rows accept the same columns: importing again changes the methods, and an invalid address fails only its row', async () => {
    await save('importfiletemplate', {
      ImportFileTemplate: 'People',
      AppliesTo: 'Contact',
      ImportEngine: 'DelimitedEngine',
    });
    const send = async (body: string): Promise<Row> => {
      const got = await on.admin.send(
        'POST',
        '/api/importfile/importbyobject?Output=Json&Template=People&PreTransform_FileName=people.csv',
        body,
        { 'Content-Type': 'text/plain' },
      );
      return (got.json() as never as { ImportResults: Row }).ImportResults;
    };
    const first = await send(
      'SubscriberID,LastName,Email,Phone\np1,Imported,p1@example.com,3035550100\np2,Imported,nobody,\np3,Imported,,\n',
    );
    assert.deepEqual([first['SuccessCount'], first['ErrorCount']], [2, 1], JSON.stringify(first));
    await send('SubscriberID,LastName,Email,Phone\np1,Imported,new@example.com,\n');
    const rows = await on.platform.store.query<{ id: number }>(
      `select contactid as id from contact where lastname = 'Imported' order by 1`,
    );
    assert.deepEqual(await Promise.all(rows.map((row) => methodsOf(row.id))), [{ Email: ['new@example.com'] }, {}]);
  });

  it('CON-01 a saved signature may name a type, but no unknown parameter', async () => {
    const statement = (signature: string): Promise<TestAnswer> =>
      on.admin.post('/api/importfiletemplate/save?Output=Json', {
        ImportFileTemplate: `Signed ${signature.length}`,
        AppliesTo: 'Contact',
        ImportEngine: 'DelimitedEngine',
        EndImportMethod: signature,
      });
    assert.equal((await statement('Contact/Save?LastName={ImportFile}&Email=a@example.com')).status, 200);
    const got = await statement('Contact/Save?LastName={ImportFile}&Emial=a@example.com');
    assert.equal(got.status, 400, got.text);
  });

  it('CON-01 without permission to save methods, they cannot be saved by type either; a firm saves only those of its own contacts', async () => {
    await save('role', { Role: 'Clerk', Permissions: 'ContactSave *Select', UniversalAccess: true });
    const clerk = await on.user('clerk-of-methods', 'Clerk');
    const got = await clerk.caller.post('/api/contact/save?Output=Json', { LastName: 'x', Email: 'a@example.com' });
    assert.equal(got.status, 403, got.text);
    await save('role', { Role: 'Scribe', Permissions: 'ContactSave ContactMethodSave *Select' });
    const [one, two] = [await on.firm('Methods One', 'Scribe'), await on.firm('Methods Two', 'Scribe')];
    const made = await save(
      'contact',
      { Object: 'Organization', ObjectID: one.organizationId, LastName: 'Own', Email: 'own@example.com' },
      one.caller,
    );
    assert.deepEqual(await methodsOf(made['ContactID']), { Email: ['own@example.com'] });
    await save('contact', { ID: made['ContactID'], Email: 'new@example.com' }, one.caller);
    assert.equal(
      (await two.caller.post('/api/contact/save?Output=Json', { ID: made['ContactID'], Email: 'bad@example.com' }))
        .status,
      404,
    );
    assert.deepEqual(await methodsOf(made['ContactID']), { Email: ['new@example.com'] });
  });

  it('CON-01 an invalid e-mail address is refused under the submitted name, and the contact is not created', async () => {
    for (const Email of [
      'nobody',
      'a@b',
      'a b@example.com',
      'a@example..com',
      '.a@example.com',
      'a@-example.com',
      `${'a'.repeat(65)}@example.com`,
      '<a@example.com>',
      'a@example.com,b@example.com',
    ]) {
      await expectRefused(
        on.admin.post('/api/contact/save?Output=Json', { LastName: 'Unmade', Email }),
        'BAD_PARAMETER',
        'Email',
      );
    }
    assert.equal((await on.platform.store.query(`select 1 from contact where lastname = 'Unmade'`)).length, 0);
  });

  it('CON-01 normalizing a telephone number twice changes nothing further, and any other text stays as submitted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const once = canonicalTelephone(text);
        assert.equal(canonicalTelephone(once), once);
        if (!/\d{4}/.test(text)) assert.equal(once, text.trim());
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[2-9]\d\d[2-9]\d{6}$/), fc.constantFrom('', '-', '.', ' '), (digits, between) => {
        const spelled = `${digits.slice(0, 3)}${between}${digits.slice(3, 6)}${between}${digits.slice(6)}`;
        assert.equal(canonicalTelephone(spelled).replace(/\D/g, ''), digits);
      }),
    );
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const plain = canonicalEmail(address);
        assert.ok(plain === undefined || canonicalEmail(plain) === plain);
      }),
    );
  });
});
