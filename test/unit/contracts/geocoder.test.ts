import { after, describe, it } from 'node:test';
import { geocoderConformance } from '../../../src/contracts/conformance/geocoder.ts';
import { networkList } from '../../../src/kernel/security/networks.ts';
import { censusGeocoder } from '../../../src/providers/geocoder/census/census.ts';
import { zipTableGeocoder } from '../../../src/providers/geocoder/zip-table/zip-table.ts';
import { startCensus } from '../../support/peers/census.ts';

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
const cases = [
  {
    name: 'ZipTableGeocoder',
    geocoder: zipTableGeocoder,
    known: { City: 'Austin', State: 'TX' },
    nowhere: { Address: '1 Main St', PostalCode: '00000' },
  },
  {
    name: 'CensusGeocoder',
    geocoder: censusGeocoder(() => ({
      url: census.url,
      benchmark: 'Public_AR_Current',
      timeoutSeconds: 5,
      rules: { allowed: networkList('127.0.0.0/8'), isHttpLoopback: true },
    })),
    known: { Address: '4600 Silver Hill Rd', PostalCode: '20233' },
    nowhere: { Address: '1 Nowhere Ln', PostalCode: '20233' },
  },
] as const;

for (const of of cases) {
  describe(`the geocoder ${of.name}`, () => {
    for (const { title, check } of geocoderConformance) it(`CON-03 ${title}`, () => check(of));
  });
}
