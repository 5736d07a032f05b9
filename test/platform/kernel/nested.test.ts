import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const json = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}Output=Json`;

async function rows(module: string, filter: string): Promise<Row[]> {
  const body = await expectOk(p.admin.get(`/api/${module}/search?Output=Json&OrderBy=ID&${filter}`));
  return Object.values(Object.values(body)[0] as Record<string, Row[]>)[0] ?? [];
}

/** The columns of a row that a test states. */
const pick = (row: Row, ...names: string[]): Row => Object.fromEntries(names.map((n) => [n, row[n]]));

describe('children', () => {
  it("KRN-09 children are saved with their parent to any depth: flat, with the parent's name, as JSON and as XML", async () => {
    const flat: Record<string, string> = {
      Organization: 'One',
      Contacts_0_FirstName: 'A',
      Contacts_0_Methods_0_ContactValue: 'a@x.example',
      Contacts_0_Methods_0_MethodType: 'Email',
      Contacts_0_Contacts_0_FirstName: 'Deep',
      Contacts_0_Contacts_0_Methods_0_ContactValue: 'deep@x',
      Contacts_1_FirstName: 'B',
      Methods_0_ContactValue: 'own@x',
    };
    const prefixed = Object.fromEntries(
      Object.entries(flat).map(([name, value]) => [name === 'Organization' ? name : `Organization_${name}`, value]),
    );
    const tree = {
      Organization: 'One',
      Contacts: [
        {
          FirstName: 'A',
          Methods: [{ ContactValue: 'a@x.example', MethodType: 'Email' }],
          Contacts: [{ FirstName: 'Deep', Methods: [{ ContactValue: 'deep@x' }] }],
        },
        { FirstName: 'B' },
      ],
      Methods: [{ ContactValue: 'own@x' }],
    };
    const xml =
      '<OrganizationItem><Organization>One</Organization>' +
      '<Contacts><ContactItem><FirstName>A</FirstName><Methods>' +
      '<ContactMethodItem><ContactValue>a@x.example</ContactValue>' +
      '<MethodType>Email</MethodType></ContactMethodItem></Methods>' +
      '<Contacts><ContactItem><FirstName>Deep</FirstName>' +
      '<Methods><ContactMethodItem><ContactValue>deep@x</ContactValue></ContactMethodItem></Methods></ContactItem>' +
      '</Contacts></ContactItem><ContactItem><FirstName>B</FirstName></ContactItem></Contacts>' +
      '<Methods><ContactMethodItem><ContactValue>own@x</ContactValue></ContactMethodItem></Methods>' +
      '</OrganizationItem>';
    for (const sent of [
      () => p.admin.post(json('/api/organization/save'), new URLSearchParams(flat).toString()),
      () => p.admin.post(json('/api/organization/save'), new URLSearchParams(prefixed).toString()),
      () => p.admin.post(json('/api/organization/save'), tree),
      () => p.admin.post(json('/api/organization/save'), xml, { 'Content-Type': 'text/xml' }),
    ]) {
      const id = Number((await expectOk(sent()))['OrganizationID']);
      const contacts = await rows('contact', `Object=Organization&ObjectID=${id}`);
      assert.deepEqual(
        contacts.map((c) => pick(c, 'FirstName', 'Object')),
        [
          { FirstName: 'A', Object: 'Organization' },
          { FirstName: 'B', Object: 'Organization' },
        ],
      );
      const [first] = contacts;
      assert.deepEqual(
        (await rows('contactmethod', `ContactID=${String(first!['ContactID'])}`)).map((m) => m['ContactMethod']),
        ['Email: a@x.example'],
      );
      const [deep] = await rows('contact', `Object=Contact&ObjectID=${String(first!['ContactID'])}`);
      assert.equal(deep!['FirstName'], 'Deep');
      assert.deepEqual(
        (await rows('contactmethod', `ContactID=${String(deep!['ContactID'])}`)).map((m) => m['ContactValue']),
        ['deep@x'],
      );
      assert.deepEqual(
        (await rows('contactmethod', `ContactID=${id}`)).map((m) => m['ContactValue']),
        ['own@x'],
      );
    }
  });

  it('KRN-09 the index only distinguishes children: they are saved in its order, and gaps do not matter', async () => {
    const { ContactID } = await expectOk(
      p.admin.post(
        json('/api/contact/save'),
        'FirstName=P&Contacts_10_FirstName=C&Contacts_2_FirstName=B&Contacts_0_FirstName=A&Contacts_2_Title=T',
      ),
    );
    const found = await rows('contact', `Object=Contact&ObjectID=${String(ContactID)}`);
    assert.deepEqual(
      found.map((c) => pick(c, 'FirstName', 'Title')),
      [
        { FirstName: 'A', Title: undefined },
        { FirstName: 'B', Title: 'T' },
        { FirstName: 'C', Title: undefined },
      ],
    );
  });

  it("KRN-09 a child with an ID is updated, by key it is found again, and other parents' children are not touched", async () => {
    const made = await expectOk(
      p.admin.post(json('/api/contact/save'), {
        FirstName: 'P',
        Chores: [
          { Chore: 'one', Sequence: 1 },
          { Chore: 'two', Sequence: 2 },
        ],
      }),
    );
    const parent = Number(made['ContactID']);
    const [one, two] = await rows('chore', `Object=Contact&ObjectID=${parent}`);
    await expectOk(
      p.admin.post(json('/api/contact/save'), {
        ID: parent,
        Chores: [
          { Sequence: 2, Note: 'again' },
          { ID: one!['ChoreID'], Note: 'by id' },
          { Chore: 'three', Sequence: 3 },
        ],
      }),
    );
    const now = await rows('chore', `Object=Contact&ObjectID=${parent}`);
    assert.deepEqual(
      now.map((c) => pick(c, 'ChoreID', 'Chore', 'Note')),
      [
        { ChoreID: one!['ChoreID'], Chore: 'one', Note: 'by id' },
        { ChoreID: two!['ChoreID'], Chore: 'two', Note: 'again' },
        { ChoreID: now[2]!['ChoreID'], Chore: 'three', Note: undefined },
      ],
    );
    const other = Number(
      (await expectOk(p.admin.post(json('/api/contact/save'), { FirstName: 'Other' })))['ContactID'],
    );
    await expectRefused(
      p.admin.post(json('/api/contact/save'), {
        ID: other,
        Title: 'x',
        Chores: [{ ID: one!['ChoreID'], Note: 'stolen' }],
      }),
      'NOT_FOUND',
    );
    assert.equal((await expectOk(p.admin.get(json(`/api/contact/${other}`))))['Title'], undefined);
    assert.equal((await rows('chore', `ID=${String(one!['ChoreID'])}`))[0]!['Note'], 'by id');
  });

  it('KRN-09 two concurrent calls with the same child create one', async () => {
    const parent = Number((await expectOk(p.admin.post(json('/api/contact/save'), { FirstName: 'P' })))['ContactID']);
    await Promise.all(
      Array.from({ length: 6 }, () =>
        expectOk(p.admin.post(json('/api/contact/save'), { ID: parent, Chores: [{ Sequence: 1, Chore: 'same' }] })),
      ),
    );
    assert.equal((await rows('chore', `Object=Contact&ObjectID=${parent}`)).length, 1);
  });

  it('KRN-09 unknown names, too many children and children of the wrong type are refused, and nothing is saved', async () => {
    const many = Array.from({ length: 1_001 }, () => ({ FirstName: 'x' }));
    await expectRefused(
      p.admin.post(json('/api/contact/save'), { FirstName: 'Unsaved', Contacts: many }),
      'TOO_LARGE',
      'Contacts',
    );
    await expectRefused(
      p.admin.post(json('/api/contact/save'), { FirstName: 'Unsaved', Contacts: [{ Contacts: [{ FristName: 'x' }] }] }),
      'UNKNOWN_PARAMETER',
      'Contacts_0_Contacts_0_FristName',
    );
    await expectRefused(
      p.admin.post(json('/api/contact/save'), { FirstName: 'Unsaved', Nothing: [{ a: 1 }] }),
      'UNKNOWN_PARAMETER',
      'Nothing_0_a',
    );
    await expectRefused(
      p.admin.post(json('/api/contact/save'), { FirstName: 'Unsaved', Contacts_0: 'x' }),
      'UNKNOWN_PARAMETER',
      'Contacts_0',
    );
    await expectRefused(
      p.admin.post(json('/api/contact/save'), { FirstName: 'Unsaved', Methods: [{ ValidStart: 'never' }] }),
      'BAD_PARAMETER',
      'Methods_0_ValidStart',
    );
    assert.deepEqual(await rows('contact', 'FirstName=Unsaved'), []);
  });

  it('collections and links sent empty have no effect, so an answer can be sent back', async () => {
    const made = await expectOk(
      p.admin.post(json('/api/chore/save'), {
        Chore: 'round',
        HelperContact: {},
        HelperContactID: null,
        SubChores: [],
      }),
    );
    const back = await expectOk(p.admin.post(json('/api/chore/save'), made));
    assert.equal(back['ChoreID'], made['ChoreID']);
    const xml = await p.admin.post(
      '/api/chore/save',
      `<ChoreItem><ID>${String(made['ChoreID'])}</ID><SubChores/><HelperContact/><Note>n</Note></ChoreItem>`,
      { 'Content-Type': 'text/xml' },
    );
    assert.equal(xml.status, 200, xml.text);
  });
});

describe('linked records and the parent', () => {
  it("KRN-25 a foreign key's name without ID saves the linked record with its children and sets the key", async () => {
    for (const sent of [
      () =>
        p.admin.post(
          json('/api/chore/save'),
          'Chore=c&HelperContact_LastName=Help&HelperContact_Methods_0_ContactValue=h@x&BackupContact_LastName=Back' +
            '&ParentChore_Chore=above&ParentChore_HelperContact_LastName=Up',
        ),
      () =>
        p.admin.post(json('/api/chore/save'), {
          Chore: 'c',
          HelperContact: { LastName: 'Help', Methods: [{ ContactValue: 'h@x' }] },
          BackupContact: { LastName: 'Back' },
          ParentChore: { Chore: 'above', HelperContact: { LastName: 'Up' } },
        }),
      () =>
        p.admin.post(
          json('/api/chore/save'),
          '<ChoreItem><Chore>c</Chore><HelperContact><LastName>Help</LastName>' +
            '<Methods><ContactMethodItem><ContactValue>h@x</ContactValue></ContactMethodItem></Methods>' +
            '</HelperContact><BackupContact><LastName>Back</LastName></BackupContact>' +
            '<ParentChore><Chore>above</Chore><HelperContact><LastName>Up</LastName></HelperContact></ParentChore>' +
            '</ChoreItem>',
          { 'Content-Type': 'text/xml' },
        ),
    ]) {
      const made = await expectOk(sent());
      const [helper] = await rows('contact', `ID=${String(made['HelperContactID'])}`);
      assert.equal(helper!['LastName'], 'Help');
      assert.deepEqual(
        (await rows('contactmethod', `ContactID=${String(helper!['ContactID'])}`)).map((m) => m['ContactValue']),
        ['h@x'],
      );
      assert.equal((await rows('contact', `ID=${String(made['BackupContactID'])}`))[0]!['LastName'], 'Back');
      const [above] = await rows('chore', `ID=${String(made['ParentChoreID'])}`);
      assert.equal((await rows('contact', `ID=${String(above!['HelperContactID'])}`))[0]!['LastName'], 'Up');
    }
  });

  it('KRN-25 if the key is already set, that record is updated; with an ID another one; emptied, the link is removed', async () => {
    const made = await expectOk(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', HelperContact: { FirstName: 'F', LastName: 'L' } }),
    );
    const changed = await expectOk(
      p.admin.post(json('/api/chore/save'), { ID: made['ChoreID'], HelperContact: { FirstName: 'G' } }),
    );
    assert.equal(changed['HelperContactID'], made['HelperContactID']);
    assert.deepEqual(pick((await rows('contact', `ID=${String(made['HelperContactID'])}`))[0]!, 'Contact'), {
      Contact: 'L, G',
    });
    const other = await expectOk(p.admin.post(json('/api/contact/save'), { LastName: 'Other' }));
    const moved = await expectOk(
      p.admin.post(json('/api/chore/save'), {
        ID: made['ChoreID'],
        HelperContact: { ID: other['ContactID'], Title: 'T' },
      }),
    );
    assert.equal(moved['HelperContactID'], other['ContactID']);
    const cut = await expectOk(p.admin.post(json('/api/chore/save'), { ID: made['ChoreID'], HelperContactID: '' }));
    assert.equal(cut['HelperContactID'], undefined);
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', HelperContact: { ID: 99999999, Title: 'T' } }),
      'NOT_FOUND',
    );
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', HelperContact: { Nonsense: 'T' } }),
      'UNKNOWN_PARAMETER',
      'HelperContact_Nonsense',
    );
  });

  it("KRN-25 a child's save changes its parent's columns by the parent's class", async () => {
    const parent = Number((await expectOk(p.admin.post(json('/api/contact/save'), { LastName: 'P' })))['ContactID']);
    const chore = await expectOk(
      p.admin.post(json('/api/chore/save'), {
        Chore: 'c',
        Object: 'Contact',
        ObjectID: parent,
        Contact_Status: 'Under Review',
        Contact_Methods_0_ContactValue: 'via@child',
      }),
    );
    assert.equal((await expectOk(p.admin.get(json(`/api/contact/${parent}`))))['Status'], 'Under Review');
    assert.equal((await rows('contactmethod', `ContactID=${parent}`)).length, 1);
    await expectOk(p.admin.post(json('/api/chore/update'), { ID: chore['ChoreID'], Contact_Status: 'Closed' }));
    assert.equal((await expectOk(p.admin.get(json(`/api/contact/${parent}`))))['Status'], 'Closed');
    await expectRefused(
      p.admin.post(json('/api/chore/update'), { ID: chore['ChoreID'], Organization_Status: 'x' }),
      'BAD_PARAMETER',
      'Organization_Status',
    );
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'none', Contact_Status: 'x' }),
      'BAD_PARAMETER',
      'Contact_Status',
    );
    assert.deepEqual(await rows('chore', 'Chore=none'), []);
  });

  it('a parent needs its class and its ID, must exist, and is stored as its concrete class', async () => {
    const organization = Number(
      (await expectOk(p.admin.post(json('/api/organization/save'), { Organization: 'Concrete' })))['OrganizationID'],
    );
    assert.equal(
      (
        await expectOk(p.admin.post(json('/api/chore/save'), { Chore: 'c', Object: 'contact', ObjectID: organization }))
      )['Object'],
      'Organization',
    );
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', ObjectID: organization }),
      'MISSING_PARAMETER',
      'Object',
    );
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', Object: 'Organization' }),
      'MISSING_PARAMETER',
      'ObjectID',
    );
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', Object: 'Orgnization', ObjectID: 1 }),
      'BAD_PARAMETER',
      'Object',
    );
    await expectRefused(
      p.admin.post(json('/api/chore/save'), { Chore: 'c', Object: 'Organization', ObjectID: 99999999 }),
      'NOT_FOUND',
    );
  });
});

describe('derived records', () => {
  it('a record is changed as its concrete type: through its base the organization keeps its label, class and parentless state', async () => {
    const id = Number(
      (
        await expectOk(
          p.admin.post(json('/api/organization/save'), { Organization: 'Keep Me', Object: 'Contact', ObjectID: 1 }),
        )
      )['OrganizationID'],
    );
    const changed = await expectOk(
      p.admin.post(json('/api/contact/save'), {
        ID: id,
        LastName: 'Not the label',
        City: 'Utica',
        Object: 'Organization',
        ObjectID: id,
      }),
    );
    assert.deepEqual(pick(changed, 'ContactID', 'Contact', 'RecordClass', 'City', 'Object'), {
      ContactID: id,
      Contact: 'Keep Me',
      RecordClass: 'Organization',
      City: 'Utica',
      Object: undefined,
    });
    const chores = await expectOk(
      p.admin.post(json('/api/contact/save'), { ID: id, Chores: [{ Chore: 'hangs below' }] }),
    );
    assert.equal(chores['ContactID'], id);
    assert.equal((await rows('chore', `Object=Organization&ObjectID=${id}`)).length, 1);
    assert.equal((await expectOk(p.admin.get(json(`/api/organization/${id}`))))['Organization'], 'Keep Me');
  });

  it("a derived type's operations do not affect records that are only of its base type", async () => {
    const plain = Number((await expectOk(p.admin.post(json('/api/contact/save'), { LastName: 'Plain' })))['ContactID']);
    await expectRefused(p.admin.post(json('/api/organization/save'), { ID: plain, City: 'x' }), 'NOT_FOUND');
    await expectRefused(p.admin.post(json('/api/organization/delete'), { ID: plain }), 'NOT_FOUND');
    await expectRefused(p.admin.get(json(`/api/organization/${plain}`)), 'NOT_FOUND');
    assert.equal((await expectOk(p.admin.get(json(`/api/contact/${plain}`))))['City'], undefined);
  });

  it('through its base a derived record is deleted and restored whole', async () => {
    const id = Number(
      (
        await expectOk(
          p.admin.post(json('/api/organization/save'), {
            Organization: 'Twice',
            ProviderCode: 'TW',
            SubscriberID: 'twice',
          }),
        )
      )['OrganizationID'],
    );
    const deleted = await expectOk(p.admin.post(json('/api/contact/delete'), { ID: id }));
    assert.deepEqual(pick(deleted, 'ContactID', 'Contact'), { ContactID: id, Contact: 'Twice' });
    await expectRefused(p.admin.get(json(`/api/organization/${id}`)), 'NOT_FOUND');
    await expectOk(p.admin.post(json('/api/organization/undelete'), { ID: id }));
    assert.deepEqual(
      pick(
        await expectOk(p.admin.get(json('/api/organization/select?SubscriberID=twice'))),
        'OrganizationID',
        'ProviderCode',
        'Organization',
      ),
      { OrganizationID: id, ProviderCode: 'TW', Organization: 'Twice' },
    );
  });

  it('a label computed from several columns is right whatever concurrent calls change', async () => {
    const id = Number(
      (await expectOk(p.admin.post(json('/api/contact/save'), { FirstName: 'A', LastName: 'A' })))['ContactID'],
    );
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        expectOk(p.admin.post(json('/api/contact/save'), { ID: id, FirstName: `F${round}` })),
        expectOk(p.admin.post(json('/api/contact/save'), { ID: id, LastName: `L${round}` })),
      ]);
      assert.equal((await expectOk(p.admin.get(json(`/api/contact/${id}`))))['Contact'], `L${round}, F${round}`);
    }
  });
});
