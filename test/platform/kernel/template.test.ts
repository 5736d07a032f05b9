import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, expectOk, expectRefused, rowsOf, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const { save } = client(p);

const template = (name: string, fields: object): Promise<Row> =>
  save('choretemplate', { ChoreTemplate: name, ...fields });
const contact = async (): Promise<{ Object: string; ObjectID: unknown }> => ({
  Object: 'Contact',
  ObjectID: (await save('contact', { LastName: 'Parent' }))['ContactID'],
});

describe('templates', () => {
  it("KRN-13 an instance is created by the template's name or ID, in any spelling", async () => {
    const id = (await template('Sweep', {}))['ChoreTemplateID'];
    const parent = await contact();
    for (const printed of [
      { Template: 'sweep' },
      { ChoreTemplate: 'Sweep' },
      { TemplateID: id },
      { ChoreTemplateID: id },
      { Chore_Template: 'Sweep' },
    ]) {
      const made = await save('chore', { ...parent, Chore: 'x', ...printed });
      assert.equal(made['ChoreTemplateID'], id, JSON.stringify(printed));
    }
    for (const filter of [
      'Template=Sweep',
      'ChoreTemplate=sweep',
      `TemplateID=${String(id)}`,
      `ChoreTemplateID=${String(id)}`,
    ]) {
      assert.equal(
        rowsOf(
          await expectOk(p.admin.get(`/api/chore/search?Output=Json&ObjectID=${String(parent.ObjectID)}&${filter}`)),
        ).length,
        5,
        filter,
      );
    }
  });

  it('KRN-13 a template without a name is named by its ID only, and does not hinder others', async () => {
    const { ChoreTemplateID: id } = await save('choretemplate', { Repeatable: 'Many' });
    const made = await save('chore', { ...(await contact()), TemplateID: id, Chore: 'x' });
    assert.equal(made['ChoreTemplateID'], id);
    const unknown = p.admin.post('/api/chore/save?Output=Json', { ...(await contact()), Template: 'Sweeps' });
    await expectRefused(unknown, 'BAD_PARAMETER', 'Template', /Sweep/);
  });

  it('KRN-13 Many, and no mode at all, create a new instance each time', async () => {
    await template('Many', { Repeatable: 'Many' });
    await template('Unsaid', {});
    const parent = await contact();
    for (const name of ['Many', 'Unsaid']) {
      const [a, b] = [
        await save('chore', { ...parent, Template: name }),
        await save('chore', { ...parent, Template: name }),
      ];
      assert.notEqual(a['ChoreID'], b['ChoreID']);
    }
  });

  it("KRN-13 One reuses the parent's instance whatever its state; each parent has its own", async () => {
    await template('One', { Repeatable: 'One' });
    const [parent, other] = [await contact(), await contact()];
    const made = await save('chore', { ...parent, Template: 'One', Chore: 'first' });
    const again = await save('chore', { ...parent, Template: 'One', Note: 'changed' });
    assert.deepEqual([again['ChoreID'], again['Chore'], again['Note']], [made['ChoreID'], 'first', 'changed']);
    await save('chore', { ID: made['ChoreID'], Status: 'Done' });
    assert.equal((await save('chore', { ...parent, Template: 'One' }))['ChoreID'], made['ChoreID']);
    assert.notEqual((await save('chore', { ...other, Template: 'One' }))['ChoreID'], made['ChoreID']);
  });

  it('KRN-13 selecting by template does not save anything', async () => {
    await template('Select', { Repeatable: 'One' });
    const parent = await contact();
    const made = await save('chore', { ...parent, Template: 'Select' });
    const selected = await save('chore', { ...parent, Template: 'Select' });
    assert.deepEqual(selected, made, 'neither version nor date has changed');
  });

  it('KRN-13 OneActive reuses the instance until it is final, then creates a new one', async () => {
    await template('OneActive', { Repeatable: 'oneactive' });
    const parent = await contact();
    const made = await save('chore', { ...parent, Template: 'OneActive' });
    assert.equal(
      (await save('chore', { ...parent, Template: 'OneActive', Status: 'Open' }))['ChoreID'],
      made['ChoreID'],
    );
    await save('chore', { ID: made['ChoreID'], Status: 'done' });
    const next = await save('chore', { ...parent, Template: 'OneActive' });
    assert.notEqual(next['ChoreID'], made['ChoreID']);
    assert.equal((await save('chore', { ...parent, Template: 'OneActive' }))['ChoreID'], next['ChoreID']);
  });

  it('KRN-13 an instance does not move to a parent that has its one instance already', async () => {
    for (const Repeatable of ['One', 'OneActive']) {
      await template(`Moved ${Repeatable}`, { Repeatable });
      const [from, to] = [await contact(), await contact()];
      const moving = (await save('chore', { ...from, Template: `Moved ${Repeatable}` }))['ChoreID'];
      const other = (await save('chore', { ...to, Template: `Moved ${Repeatable}` }))['ChoreID'];
      const move = (parent: object): ReturnType<typeof p.admin.post> =>
        p.admin.post('/api/chore/save?Output=Json', { ID: moving, ...parent });
      await expectRefused(move(to), 'STATE_REFUSES', 'ObjectID');
      await expectOk(move({ ...from, Chore: 'stays' }));
      await expectOk(move(await contact()));
      await save('chore', { ID: other, Status: 'Done' });
      if (Repeatable === 'One') await expectRefused(move(to), 'STATE_REFUSES', 'ObjectID');
      else await expectOk(move(to));
    }
  });

  it('KRN-13 One and OneActive create one instance even for many concurrent calls', async () => {
    for (const Repeatable of ['One', 'OneActive']) {
      await template(`Race ${Repeatable}`, { Repeatable });
      const parent = await contact();
      const made = await Promise.all(
        Array.from({ length: 8 }, () => save('chore', { ...parent, Template: `Race ${Repeatable}` })),
      );
      assert.equal(new Set(made.map((r) => r['ChoreID'])).size, 1);
    }
  });

  it('KRN-13 AppliesTo decides the parents: its class, derived classes, or any; of equal names the closest class wins', async () => {
    const any = await template('Visit', {});
    const forContact = await template('Visit', { AppliesTo: 'Contact' });
    const forOrganization = await template('Visit', { AppliesTo: 'Organization' });
    await template('Only contacts', { AppliesTo: 'Contact' });
    await template('Only organizations', { AppliesTo: 'Organization' });
    const organization = {
      Object: 'Organization',
      ObjectID: (await save('organization', { Organization: 'O' }))['OrganizationID'],
    };
    const person = { Object: 'Person', ObjectID: (await save('person', { Person: 'visited' }))['PersonID'] };
    const parent = await contact();
    const idFor = async (of: object): Promise<unknown> =>
      (await save('chore', { ...of, Template: 'Visit' }))['ChoreTemplateID'];
    assert.deepEqual(
      [await idFor(parent), await idFor(organization), await idFor(person)],
      [forContact['ChoreTemplateID'], forOrganization['ChoreTemplateID'], any['ChoreTemplateID']],
    );
    assert.equal((await p.admin.post('/api/chore/save', { ...organization, Template: 'Only contacts' })).status, 200);
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { ...parent, Template: 'Only organizations' }),
      'BAD_PARAMETER',
      'Template',
      /no ChoreTemplate for Contact/,
    );
  });

  it('KRN-13 an unknown name or id is an error with the nearest names, and nothing is created', async () => {
    await template('Polish silver', {});
    const parent = await contact();
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { ...parent, Template: 'Polish sliver' }),
      'BAD_PARAMETER',
      'Template',
      /Did you mean Polish silver/,
    );
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { ...parent, TemplateID: 99999 }),
      'BAD_PARAMETER',
      'ChoreTemplateID',
    );
    assert.equal(
      rowsOf(await expectOk(p.admin.get(`/api/chore/search?Output=Json&ObjectID=${String(parent.ObjectID)}`))).length,
      0,
    );
  });

  it('KRN-13 a template saved a moment ago is known at once, a deleted one is not', async () => {
    const parent = await contact();
    const made = await template('Brand new', {});
    assert.equal(
      (await save('chore', { ...parent, Template: 'Brand new' }))['ChoreTemplateID'],
      made['ChoreTemplateID'],
    );
    await save('choretemplate', { ID: made['ChoreTemplateID'], ChoreTemplate: 'Renamed' });
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { ...parent, Template: 'Brand new' }),
      'BAD_PARAMETER',
      'Template',
    );
    assert.equal((await save('chore', { ...parent, Template: 'Renamed' }))['ChoreTemplateID'], made['ChoreTemplateID']);
  });

  it("KRN-13 an instance's own ID or external ID overrides its template's rule", async () => {
    await template('Ruled', { Repeatable: 'One' });
    const parent = await contact();
    const one = await save('chore', { ...parent, Template: 'Ruled', SubscriberID: 'ruled' });
    assert.equal((await save('chore', { SubscriberID: 'ruled', Note: 'by key' }))['ChoreID'], one['ChoreID']);
    const free = await save('chore', { Chore: 'free' });
    assert.equal(
      (await save('chore', { ID: free['ChoreID'], ...parent, Template: 'Ruled' }))['ChoreID'],
      free['ChoreID'],
    );
  });
});
