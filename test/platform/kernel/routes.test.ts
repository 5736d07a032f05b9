import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { parseRoute } from '../../../src/kernel/door/route.ts';
import { testPlatform } from '../../support/platform.ts';
import { echoOf, fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const contactId = Number(
  (
    await p.admin.post('/api/contact/save?Output=Json', {
      FirstName: 'Ada',
      LastName: 'Route',
      SubscriberID: 'own-route',
    })
  ).json()['ContactID'],
);
const organizationId = Number(
  (await p.admin.post('/api/organization/save?Output=Json', { Organization: 'Route Firm' })).json()['OrganizationID'],
);

const code = (answer: { text: string }): string | undefined => /Code(?:=|":)"(\w+)"/.exec(answer.text)?.[1];

describe('routes', () => {
  it('KRN-01 an operation answers under its module and name, regardless of case', async () => {
    for (const path of [
      '/api/contact/search',
      '/api/Contact/Search',
      '/API/CONTACT/SEARCH'.replace('API', 'api'),
      '/api/contact//search/',
    ]) {
      const found = await p.admin.get(`${path}?Output=json&lastname=ROUTE`);
      assert.equal(found.status, 200, path);
      assert.equal(
        (found.json() as never as { ContactCollection: { ContactItem: { ContactID: number }[] } }).ContactCollection
          .ContactItem[0]?.ContactID,
        contactId,
      );
    }
  });

  it('KRN-01 an unknown module or operation is 404 with its own code, only for signed-in callers', async () => {
    for (const path of [
      '/api/nothing/search',
      '/api/contact/nothing',
      '/api/contact',
      '/api/',
      '/api/contact/select/1/2',
      '/api/contact/0',
      '/api/contact/search%2Fmore',
    ]) {
      const answer = await p.admin.get(path);
      assert.equal(answer.status, 404, path);
      assert.equal(code(answer), 'UNKNOWN_OPERATION', path);
      assert.equal((await p.anonymous.get(path, { 'User-Agent': 'test' })).status, 401, path);
    }
  });

  it('KRN-03 an ID after the operation identifies its record; the same one may be sent again under any name', async () => {
    for (const more of [
      '',
      `?ID=${contactId}`,
      `?ContactID=${contactId}`,
      '?SubscriberID=own-route',
      '?ID=&ContactID=',
    ]) {
      const path = `/api/contact/select/${contactId}${more}`;
      const answer = await p.admin.get(`${path}${path.includes('?') ? '&' : '?'}Output=Json`);
      assert.equal(answer.json()['ContactID'], contactId, path);
    }
    const saved = await p.admin.post(`/api/contact/save/${contactId}?Output=Json`, {
      ID: contactId,
      SubscriberID: 'own-route',
      Title: 'by path',
    });
    assert.equal(saved.json()['ContactID'], contactId);
    assert.equal((await p.admin.get('/api/contact/select/999999999')).status, 404);
  });

  it('KRN-04 a record is addressed by its ID alone: GET and HEAD read, PUT, PATCH and POST save, DELETE deletes', async () => {
    const id = Number((await p.admin.post('/api/contact/save?Output=Json', { FirstName: 'Verb' })).json()['ContactID']);
    assert.equal((await p.admin.get(`/api/contact/${id}?Output=Json`)).json()['FirstName'], 'Verb');
    const head = await p.admin.send('HEAD', `/api/contact/${id}`);
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    for (const [verb, title] of [
      ['PUT', 'put'],
      ['PATCH', 'patch'],
      ['POST', 'post'],
    ] as const) {
      const answer = await p.admin.send(verb, `/api/contact/${id}?Output=Json`, JSON.stringify({ Title: title }), {
        'Content-Type': 'application/json',
      });
      assert.equal(answer.json()['Title'], title, answer.text);
      assert.equal(answer.json()['ContactID'], id);
    }
    assert.equal((await p.admin.send('DELETE', `/api/contact/${id}`)).status, 200);
    assert.equal((await p.admin.get(`/api/contact/${id}`)).status, 404);
  });

  it('HEAD never changes anything', async () => {
    const head = await p.admin.send('HEAD', `/api/contact/delete/${contactId}`);
    assert.equal(head.status, 404);
    assert.equal((await p.admin.get(`/api/contact/${contactId}`)).status, 200);
  });

  it('KRN-05 below a parent, a save attaches the record to it, and a search finds only its children', async () => {
    const below = `/api/organization/${organizationId}/contact`;
    const made = await p.admin.post(`${below}/save?Output=Json`, {
      FirstName: 'Below',
      Object: 'Contact',
      ObjectID: contactId,
    });
    assert.equal(made.json()['Object'], 'Organization', made.text);
    assert.equal(made.json()['ObjectID'], organizationId);
    const id = Number(made.json()['ContactID']);
    const found = await p.admin.get(`${below}/search?Output=Json`);
    assert.deepEqual(
      (
        found.json() as never as { ContactCollection: { ContactItem: { ContactID: number }[] } }
      ).ContactCollection.ContactItem.map((c) => c.ContactID),
      [id],
    );
    assert.equal((await p.admin.get(`${below}/select/${id}?Output=Json`)).json()['ContactID'], id);
    assert.equal((await p.admin.get(`${below}/${id}?Output=Json`)).json()['ContactID'], id);
  });

  it('KRN-05 below a parent, records of other parents do not exist, for reading or changing', async () => {
    const below = `/api/organization/${organizationId}/contact`;
    for (const answer of [
      await p.admin.get(`${below}/${contactId}`),
      await p.admin.get(`${below}/summary/${contactId}`),
      await p.admin.post(`${below}/delete/${contactId}`),
      await p.admin.post(`${below}/save/${contactId}`, { Title: 'taken' }),
      await p.admin.post(`${below}/update`, { ID: contactId, Title: 'taken' }),
      await p.admin.get(`/api/organization/99999999/contact/search`),
      await p.admin.post(`/api/organization/99999999/contact/save`, { FirstName: 'Nowhere' }),
    ]) {
      assert.equal(answer.status, 404, answer.text);
      assert.equal(code(answer), 'NOT_FOUND');
    }
    assert.equal((await p.admin.get(`/api/contact/${contactId}?Output=Json`)).json()['Title'], 'by path');
  });

  it('KRN-05 a parent referenced by a foreign key sets that key', async () => {
    const made = await p.admin.post(`/api/contact/${contactId}/contactmethod/save?Output=Json`, {
      MethodType: 'Email',
      ContactValue: 'a@example.org',
    });
    assert.equal(made.json()['ContactID'], contactId, made.text);
    const found = await p.admin.get(`/api/contact/${contactId}/contactmethod/search?Output=Json`);
    assert.match(found.text, /a@example\.org/);
    assert.equal(code(await p.admin.post(`/api/contact/${contactId}/role/search`)), 'BAD_PARAMETER');
  });

  it('KRN-06 an operation of several segments resolves, and parameter segments keep their spelling', async () => {
    const fixed = await p.admin.get('/api/Probe/Schedule/LISTEN?Output=Json&Text=abc');
    assert.deepEqual(echoOf(fixed), { Text: 'abc' });
    const pattern = await p.admin.get('/api/probe/Lists/My%20List/items/7?Output=Json&Text=lost&Flag=true');
    assert.deepEqual(echoOf(pattern), { Text: 'My List', Count: 7, Flag: true });
    assert.equal(code(await p.admin.get('/api/probe/lists/x/items/seven')), 'BAD_PARAMETER');
    assert.equal(code(await p.admin.get('/api/probe/schedule')), 'UNKNOWN_OPERATION');
    assert.equal(code(await p.admin.get('/api/probe/lists/{Text}/items')), 'UNKNOWN_OPERATION');
  });

  it('KRN-27 every operation that the specification prints is found by its method and path; those marked later are all that is missing', async () => {
    const printed = readFileSync(new URL('printed-operations.tsv', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t'));
    assert.ok(printed.length > 180, 'the table is there');
    const missing: string[] = [];
    const later: string[] = [];
    for (const [method = '', path = '', mark] of printed) {
      const segments = path
        .replace('{module}', 'loan')
        .replaceAll(/\{\w+\}/g, '1')
        .split('/');
      const { operation, queued } = parseRoute(p.platform.registry, segments, method);
      if (mark === 'later') later.push(`${method} ${path}`);
      if (!operation) missing.push(`${method} ${path}`);
      else assert.equal(queued, segments[1] === 'queue', path);
    }
    assert.deepEqual(missing, later);
  });

  it('KRN-27 every operation accepts GET and POST', async () => {
    for (const operation of p.platform.registry.operations()) {
      const path = `/api/${operation.route.replaceAll(/\{\w+\}/g, '1')}?NoSuchParameterAtAll=1`;
      // Operations that accept any body or any name are called only where they cannot have an effect.
      if (operation.body === 'raw' || (operation.free === 'any' && operation.effect === 'write')) continue;
      for (const answer of [await p.admin.get(path), await p.admin.post(path)]) {
        assert.notEqual(code(answer), 'UNKNOWN_OPERATION', path);
        assert.ok(answer.status < 500 || operation.form !== undefined, `${path}: ${answer.text}`);
      }
    }
  });
});
