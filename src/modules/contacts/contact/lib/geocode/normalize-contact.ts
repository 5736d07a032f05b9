import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import { planOptions, planSave } from '../../../../../kernel/records/save/plan.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { saveRecord } from '../../../../../kernel/records/save/save-record.ts';
import { missingPart, addressQuestion, type Candidate, type Geocoders } from './geocoders.ts';
import type { contact } from '../../contact.record.ts';

/** The outcome for a contact. `Saved`: corrected and verified; with any other outcome it is unchanged. */
export interface NormalizeResult {
  readonly ContactID: number;
  readonly Outcome:
    | 'Saved'
    | 'Low Confidence'
    | 'Not Found'
    | 'Incomplete'
    | 'Unavailable'
    | 'Changed'
    | 'Refused'
    | 'Queued';
  readonly Confidence?: number;
  readonly Provider?: string;
  readonly Reason?: string;
}

/**
 * Looks up one contact's address and saves the best candidate if it is confident enough. Queries the geocoder outside
 * of any transaction. An address that was changed in the meantime is left unchanged, since the result is for the old
 * one.
 */
export async function normalizeContact(
  ctx: Context<typeof contact>,
  id: number,
  geocoders: Geocoders,
  confidence: number,
): Promise<NormalizeResult> {
  const left = (Outcome: NormalizeResult['Outcome'], Reason: string, best?: Candidate): NormalizeResult => ({
    ContactID: id,
    Outcome,
    Reason,
    ...(best ? { Confidence: best.Confidence, Provider: best.Provider } : {}),
  });
  const row = await readRecord(ctx.db, ctx.record, id);
  const question = addressQuestion(row);
  const missing = missingPart(question);
  if (missing !== undefined)
    return left(
      'Incomplete',
      `The contact has no ${missing}; geocoding takes Address and PostalCode, or City and State.`,
    );
  const {
    candidates: [best],
    problems,
  } = await geocoders.ask(question);
  const why = problems.length === 0 ? '' : ` ${problems.join('; ')}.`;
  if (!best)
    return problems.length > 0 ? left('Unavailable', why.trim()) : left('Not Found', 'No geocoder knows the address.');
  if (best.Confidence < confidence)
    return left(
      'Low Confidence',
      `The best match has a confidence of ${best.Confidence}, below ${confidence}.${why}`,
      best,
    );
  try {
    await ctx.inTransaction((own) => saveBest(own, id, row.Version, best));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code === 'VERSION_CONFLICT')
      return left('Changed', 'The contact was changed while its address was looked up; normalize it again.', best);
    return left('Refused', maskNumbers(error.message), best);
  }
  return { ContactID: id, Outcome: 'Saved', Confidence: best.Confidence, Provider: best.Provider };
}

async function saveBest(own: Context, id: number, version: number, best: Candidate): Promise<void> {
  const { Address, City, State, PostalCode, Latitude, Longitude, Provider } = best;
  const address = Object.fromEntries(
    Object.entries({ Address, City, State, PostalCode }).filter(([, value]) => value !== undefined && value !== ''),
  );
  const plan = planSave(
    own.registry,
    own.record,
    {
      ID: id,
      Version: version,
      ...address,
      Latitude: Latitude.toFixed(6),
      Longitude: Longitude.toFixed(6),
      VerifiedSource: Provider,
      VerifiedDate: own.clock.now(),
    },
    planOptions(own),
  );
  await saveRecord(own, plan, 'update');
}
