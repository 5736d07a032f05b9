import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const on = await testPlatform({ after });
const post = (route: string, body: object, caller: Caller = on.admin): Promise<TestAnswer> =>
  caller.post(`/api/${route}?Output=Json`, body);
const save = (module: string, body: object, caller: Caller = on.admin): Promise<Row> =>
  expectOk(post(`${module}/save`, body, caller));
const get = (path: string, caller: Caller = on.admin): Promise<TestAnswer> =>
  caller.get(`/api/${path}${path.includes('?') ? '&' : '?'}Output=Json`);
const newContact = async (body: object = {}, caller: Caller = on.admin): Promise<number> =>
  Number((await save('contact', { LastName: 'Sample', ...body }, caller))['ContactID']);
const rowsOf = (body: Row): Row[] => Object.values(body['ContactCollection'] as Record<string, Row[]>)[0] ?? [];

/** Returns the security log entries about unmasking, oldest first. */
const unmasked = (): Promise<{ person: number; contact: number; event: string }[]> =>
  on.platform.store.query(
    `select personid as person, objectid as contact, securitylog as event
     from securitylog
     where securitylog = 'SSNUnmasked'
     order by securitylogid`,
  );

describe('contact templates', () => {
  it("CON-12 a contact is created from a template given by name, and found by it; with One the parent's contact is reused", async () => {
    const template = await save('contacttemplate', {
      ContactTemplate: 'Trustee',
      AppliesTo: 'Organization',
      Repeatable: 'One',
    });
    const { OrganizationID: ObjectID } = await save('organization', { Organization: 'Acme Trust' });
    const parent = { Object: 'Organization', ObjectID };
    const made = await save('contact', { ...parent, Template: 'trustee', LastName: 'First' });
    assert.equal(made['ContactTemplateID'], template['ContactTemplateID']);
    const again = await save('contact', {
      ...parent,
      ContactTemplate: 'Trustee',
      FirstName: 'Ann',
      Email: 'ann@example.com',
    });
    assert.deepEqual([again['ContactID'], again['Contact']], [made['ContactID'], 'First, Ann']);
    assert.deepEqual(
      rowsOf(await expectOk(get(`contact/search?Template=Trustee`))).map((row) => row['ContactID']),
      [made['ContactID']],
    );
    const loan = await save('loan', { Loan: '700100200' });
    await expectRefused(
      post('contact/save', { Object: 'Loan', ObjectID: loan['LoanID'], Template: 'Trustee', LastName: 'x' }),
      'BAD_PARAMETER',
      'Template',
      /no ContactTemplate for Loan/,
    );
    await expectRefused(
      post('contact/save', { ...parent, ContactTemplateID: 999_999, LastName: 'x' }),
      'BAD_PARAMETER',
      'ContactTemplateID',
    );
    await expectRefused(post('contacttemplate/delete', { ID: template['ContactTemplateID'] }), 'IN_USE', '');
  });

  it('CON-12 Status and ContactType must be among those that the template lists, and take its spelling; a refusal lists them', async () => {
    await save('contacttemplate', {
      ContactTemplate: 'Heir',
      CustomStatusList: 'Found, Not Found',
      CustomTypeList: 'Child,Sibling',
    });
    const made = await save('contact', { Template: 'Heir', LastName: 'x', Status: 'not found', ContactType: 'CHILD' });
    assert.deepEqual([made['Status'], made['ContactType']], ['Not Found', 'Child']);
    await expectRefused(
      post('contact/save', { ID: made['ContactID'], Status: 'Lost' }),
      'BAD_PARAMETER',
      'Status',
      /one of Found, Not Found, which the contact template Heir allows/,
    );
    await expectRefused(
      post('contact/save', { Template: 'Heir', LastName: 'x', ContactType: 'Aunt' }),
      'BAD_PARAMETER',
      'ContactType',
      /Child, Sibling/,
    );
    await save('contact', { ID: made['ContactID'], Status: '' });
    const free = await newContact({ Status: 'Anything', ContactType: 'Aunt' });
    await expectRefused(post('contact/save', { ID: free, Template: 'Heir' }), 'BAD_PARAMETER', 'Status');
    assert.equal(
      (await save('contact', { ID: free, Template: 'Heir', Status: 'Found', ContactType: 'Sibling' }))['Status'],
      'Found',
    );
    const organization = await save('organization', {
      Organization: 'Heirs Inc',
      Template: 'Heir',
      Status: 'found',
      OrganizationType: 'child',
    });
    assert.deepEqual([organization['Status'], organization['OrganizationType']], ['Found', 'Child']);
  });

  it('CON-12 KRN-18 closing a role to partners hides its contacts from them, including existing ones, except those the firm created', async () => {
    await save('role', { Role: 'Maker', Permissions: 'ContactSave *Select *Search' });
    const firm = await on.firm('Closed Roles', 'Maker');
    const parent = { Object: 'Organization', ObjectID: firm.organizationId };
    const template = await save('contacttemplate', { ContactTemplate: 'Informant', ExtranetEnabled: 'Self' });
    const [staffs, own] = [
      await newContact({ ...parent, Template: 'Informant', Email: 'a@example.com' }),
      await newContact({ ...parent, Template: 'Informant' }, firm.caller),
    ];
    const seen = async (id: number): Promise<number> => (await get(`contact/${id}`, firm.caller)).status;
    const methods = async (): Promise<number> =>
      (await expectOk(get(`contactmethod/search?ContactID=${staffs}`, firm.caller)))['ContactMethodCollection'] ===
      undefined
        ? 0
        : (await firm.caller.get(`/api/contactmethod/search?ContactID=${staffs}`)).text.split('<ContactMethodItem>')
            .length - 1;
    assert.deepEqual([await seen(staffs), await seen(own), await methods()], [200, 200, 1]);
    await save('contacttemplate', { ID: template['ContactTemplateID'], ExtranetEnabled: 'No' });
    assert.deepEqual([await seen(staffs), await seen(own), await methods()], [404, 200, 0]);
    assert.equal(await seen(await newContact({ ...parent, Template: 'Informant' })), 404);
    await save('contacttemplate', { ID: template['ContactTemplateID'], ExtranetEnabled: 'Parent' });
    assert.deepEqual([await seen(staffs), await methods()], [200, 1]);
  });
});

describe('aliases', () => {
  it('CON-10 aliases are saved with their contact, returned with it, and found on their own', async () => {
    const made = await save('contact', {
      LastName: 'Doe',
      FirstName: 'Jane',
      Aliases: [{ LastName: 'Roe', FirstName: 'Jane', ContactType: 'Maiden name' }, { LastName: 'Dough' }],
    });
    const id = made['ContactID'];
    const summary = await on.admin.get(`/api/contact/summary?ID=${String(id)}`);
    assert.match(summary.text, /<Aliases>.*<Contact>Roe, Jane<\/Contact>.*<Contact>Dough<\/Contact>.*<\/Aliases>/s);
    const [alias] = rowsOf(await expectOk(get('contact/search?LastName=Roe&FirstName=Jane')));
    assert.equal(alias?.['ParentContactID'], id);
    assert.equal(rowsOf(await expectOk(get(`contact/search?ParentContactID=${String(id)}`))).length, 2);
  });

  it('CON-10 an alias has no aliases, is not its own alias, and two contacts cannot be aliases of each other', async () => {
    const [a, b, c] = [await newContact(), await newContact(), await newContact()];
    await save('contact', { ID: a, ParentContactID: b });
    await expectRefused(
      post('contact/save', { ID: b, ParentContactID: b }),
      'BAD_PARAMETER',
      'ParentContactID',
      /a contact other than itself/,
    );
    await expectRefused(post('contact/save', { ID: b, ParentContactID: a }), 'BAD_PARAMETER', 'ParentContactID');
    await expectRefused(
      post('contact/save', { ID: b, ParentContactID: c }),
      'BAD_PARAMETER',
      'ParentContactID',
      /the contact itself has aliases/,
    );
    await expectRefused(
      post('contact/save', { LastName: 'x', ParentContactID: a }),
      'BAD_PARAMETER',
      'ParentContactID',
      /a contact that is not an alias/,
    );
    await save('contact', { ID: a, ParentContactID: '' });
    for (let round = 0; round < 5; round++) {
      const [x, y] = [await newContact(), await newContact()];
      const answers = await Promise.all([
        post('contact/save', { ID: x, ParentContactID: y }),
        post('contact/save', { ID: y, ParentContactID: x }),
      ]);
      assert.deepEqual(
        answers.map((answer) => answer.status).sort((m, n) => m - n),
        [200, 400],
        answers.map((answer) => answer.text).join('\n'),
      );
    }
  });

  it('CON-10 KRN-18 access to a contact includes its aliases, also after the contact moves', async () => {
    const [one, two] = [await on.firm('Alias One'), await on.firm('Alias Two')];
    const id = await newContact({
      Object: 'Organization',
      ObjectID: one.organizationId,
      Aliases: [{ LastName: 'Other' }],
    });
    const [alias] = rowsOf(await expectOk(get(`contact/search?ParentContactID=${id}`)));
    const seen = async (): Promise<number[]> =>
      Promise.all(
        [one, two].map(async (firm) => (await get(`contact/${String(alias?.['ContactID'])}`, firm.caller)).status),
      );
    assert.deepEqual(await seen(), [200, 404]);
    await save('contact', { ID: id, Object: 'Organization', ObjectID: two.organizationId });
    assert.deepEqual(await seen(), [404, 200]);
  });
});

describe('unmaskssn', () => {
  it('CON-06 returns the unmasked numbers and writes one log entry for each contact', async () => {
    const [a, b] = [await newContact({ USSSN: '900-12-3456' }), await newContact()];
    const before = (await unmasked()).length;
    const answer = await expectOk(get(`contact/unmaskssn?ID=${a},${b}`));
    assert.deepEqual(rowsOf(answer), [{ ContactID: a, USSSN: '900-12-3456' }, { ContactID: b }]);
    assert.deepEqual(
      (await unmasked()).slice(before).map(({ contact }) => contact),
      [a, b],
    );
    const organization = await save('organization', { Organization: 'Numbered', USSSN: '900123457' });
    assert.deepEqual(rowsOf(await expectOk(get(`contact/unmaskssn/${String(organization['OrganizationID'])}`))), [
      { ContactID: organization['OrganizationID'], USSSN: '900-12-3457' },
    ]);
  });

  it('CON-06 KRN-21 KRN-28 a masked number that is sent back stores nothing; unless it is the mask of the stored one, a warning says so', async () => {
    const warning = async (fields: object, module = 'contact'): Promise<unknown> => {
      const { Alerts } = (await save(module, fields)) as { Alerts?: { Text: string }[] };
      return Alerts?.map(({ Text }) => Text).join();
    };
    const id = await newContact({ USSSN: '900-12-3461' });
    assert.equal(await warning({ ID: id, USSSN: 'XXX-XX-3461', FirstName: 'Same' }), undefined);
    const other =
      /^USSSN: the number was sent masked and is not stored; the stored number ends in other digits and was not/;
    const none = /the record has none\. Send all nine digits to store it\.$/;
    assert.match(String(await warning({ ID: id, USSSN: 'XXX-XX-9999' })), other);
    assert.match(String(await warning({ LastName: 'New', USSSN: 'xxx-xx-7719' })), none);
    assert.match(String(await warning({ Organization: 'New', USSSN: 'XXX-XX-7719' }, 'organization')), none);
    assert.match(
      String(await warning({ LastName: 'Parent', Contacts: [{ LastName: 'Child', USSSN: 'XXX-XX-7719' }] })),
      /^Contacts_0_USSSN: .*the record has none/,
    );
    assert.equal((await expectOk(get(`contact/select?ID=${id}`)))['USSSN4'], '3461');
    for (const wrong of ['XXX-XX-', 'XXX-XX-12', 'XXX-XX-12345'])
      await expectRefused(
        on.admin.post('/api/contact/save?Output=Json', { ID: id, USSSN: wrong }),
        'BAD_PARAMETER',
        'USSSN',
        /^USSSN: expected nine digits, such as 000123456 or 000-12-3456\.$/,
      );
  });

  it('CON-06 is refused without UnmaskSSN, which staff do not have, and the refusal is logged', async () => {
    const id = await newContact({ USSSN: '900-12-3458' });
    const staff = await on.user('staff-unmask', 'Staff');
    const before = (await unmasked()).length;
    const got = await get(`contact/unmaskssn?ID=${id}`, staff.caller);
    assert.equal(got.status, 403);
    assert.ok(!got.text.includes('3458'));
    assert.equal((await unmasked()).length, before);
    const refusals = await on.platform.store.query(
      `select 1 from securitylog
       where securitylog = 'Refused' and personid = $1::bigint and object = 'contact/unmaskssn'`,
      [staff.personId],
    );
    assert.equal(refusals.length, 1);
  });

  it('CON-06 a partner with the permission unmasks only contacts it can see; a single other contact fails the whole call, which reveals nothing', async () => {
    await save('role', { Role: 'Unmasker', Permissions: 'UnmaskSSN *Select' });
    const [one, two] = [await on.firm('Unmask One', 'Unmasker'), await on.firm('Unmask Two', 'Unmasker')];
    const [own, other] = [
      await newContact({ Object: 'Organization', ObjectID: one.organizationId, USSSN: '900123459' }),
      await newContact({ Object: 'Organization', ObjectID: two.organizationId, USSSN: '900123460' }),
    ];
    const before = (await unmasked()).length;
    await expectRefused(get(`contact/unmaskssn?ID=${own},${other}`, one.caller), 'NOT_FOUND', 'ID');
    assert.equal((await unmasked()).length, before);
    assert.deepEqual(rowsOf(await expectOk(get(`contact/unmaskssn?ID=${own}`, one.caller))), [
      { ContactID: own, USSSN: '900-12-3459' },
    ]);
    assert.deepEqual((await unmasked()).slice(before), [{ person: one.personId, contact: own, event: 'SSNUnmasked' }]);
  });

  it('CON-06 limits the number of contacts per call', async () => {
    const id = await newContact();
    await expectRefused(
      get(`contact/unmaskssn?ID=${Array.from({ length: 101 }, (_, n) => id + n).join(',')}`),
      'TOO_LARGE',
      'ID',
    );
  });
});

describe('professional licenses', () => {
  it('CON-13 a license with all its fields can be on any record, and is returned with it', async () => {
    const texas = await save('geography', { Geography: 'Texas', Code: 'TX', GeographyType: 'State' });
    const county = await save('geography', {
      Geography: 'Harris',
      Code: '48201',
      GeographyType: 'County',
      ParentGeographyID: texas['GeographyID'],
    });
    const contact = await newContact();
    const proof = await save('attachment', {
      Object: 'Contact',
      ObjectID: contact,
      FileName: 'licence.txt',
      Content: 'eA==',
    });
    const fields = {
      ProfessionalLicense: 'TX 123',
      ProfessionalLicenseType: 'Attorney',
      Effective: '2020-01-01',
      Expires: '2027-12-31',
      VerificationType: 'Register',
      VerifiedDate: '2026-01-02T03:04:05.000Z',
      VerifiedBy: 'A. Clerk',
      AttachmentID: proof['AttachmentID'],
      GeographyID: county['GeographyID'],
    };
    for (const [parent, id] of [
      ['Contact', contact],
      ['Loan', (await save('loan', { Loan: '700100300' }))['LoanID']],
    ] as const) {
      const made = await save('professionallicense', { Object: parent, ObjectID: id, ...fields });
      for (const [name, value] of Object.entries(fields)) assert.equal(made[name], value, name);
      assert.match(
        (await on.admin.get(`/api/${parent}/summary?ID=${String(id)}`)).text,
        /<ProfessionalLicenses>.*TX 123/s,
      );
    }
    await expectRefused(
      post('professionallicense/save', {
        Object: 'Contact',
        ObjectID: contact,
        Effective: '2026-01-02',
        Expires: '2026-01-01',
      }),
      'BAD_PARAMETER',
      'Expires',
    );
  });

  it('CON-13 KRN-18 access to the record includes its licenses, also after the record moves', async () => {
    const [one, two] = [await on.firm('Licence One'), await on.firm('Licence Two')];
    const contact = await newContact({
      Object: 'Organization',
      ObjectID: one.organizationId,
      ProfessionalLicenses: [{ ProfessionalLicense: 'L1' }],
    });
    const seen = (): Promise<number[]> =>
      Promise.all(
        [one, two].map(
          async (firm) =>
            (await firm.caller.get('/api/professionallicense/search?ProfessionalLicense=L1')).text.split(
              '<ProfessionalLicenseItem>',
            ).length - 1,
        ),
      );
    assert.deepEqual(await seen(), [1, 0]);
    await save('contact', { ID: contact, Object: 'Organization', ObjectID: two.organizationId });
    assert.deepEqual(await seen(), [0, 1]);
    const process = await save('foreclosure', {
      Foreclosure: 'Licensed',
      OrganizationID: one.organizationId,
      ProfessionalLicenses: [{ ProfessionalLicense: 'L2' }],
    });
    const ofCase = (): Promise<number[]> =>
      Promise.all(
        [one, two].map(
          async (firm) =>
            (await firm.caller.get('/api/professionallicense/search?ProfessionalLicense=L2')).text.split(
              '<ProfessionalLicenseItem>',
            ).length - 1,
        ),
      );
    assert.deepEqual(await ofCase(), [1, 0]);
    await save('foreclosure', { ID: process['ForeclosureID'], OrganizationID: two.organizationId });
    assert.deepEqual(await ofCase(), [0, 1]);
  });
});
