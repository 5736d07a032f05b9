import { test, after } from 'node:test';
import { testPlatform } from '../support/platform.ts';
const p = await testPlatform({ after });
test('x', async () => {
await p.admin.post('/api/role/save', { Role: 'Everything Reached', Permissions: '*', UniversalAccess: false });
  const a = await p.firm('Alpha', 'Everything Reached');
  console.log((await a.caller.post('/api/apikey/delete','ID=1')).text);
  console.log((await a.caller.get('/api/apikey/search')).text);
  console.log(await p.platform.store.query('select errorlog, stack from errorlog'));
});
