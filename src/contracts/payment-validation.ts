import { bad } from '../kernel/parameters/parse-value.ts';
import { isCardNumber } from '../kernel/security/card-number.ts';
import { isMailAddress } from './mail-validation.ts';
import { minorUnits } from './payment-money.ts';
import type {
  BillingAddress,
  CustomerDetails,
  Once,
  PaymentRequest,
  Period,
  SubscriptionRequest,
} from './payment-provider.ts';

/** Longest description, and longest line of a customer's details, in characters. */
const DESCRIPTION_LENGTH_MAX = 200;
const LINE_LENGTH_MAX = 255;

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
/**
 * Digits in a row, with single spaces, points or hyphens between them; or in the groups of cards, with up to three
 * other characters between these. A word may precede or follow, but not the letters and digits of an ID.
 */
const DIGIT_RUNS = new RegExp(
  String.raw`(?<!\p{N}|\p{N}\p{L}{1,12})(?:\d(?:[ .-]?\d){12,18}|` +
    String.raw`\d{4}(?:[^\p{L}\p{N}]{1,3}\d{4}){3}(?:[^\p{L}\p{N}]{1,3}\d{1,3})?|` +
    String.raw`\d{4}[^\p{L}\p{N}]{1,3}\d{6}[^\p{L}\p{N}]{1,3}\d{4,5})(?!\p{N}|\p{L}{1,12}\p{N})`,
  'gu',
);

/**
 * Whether a text contains what looks like a card number: 13 to 19 digits of any script with a valid check digit.
 */
export function hasCardNumber(text: string): boolean {
  return [...text.normalize('NFKC').matchAll(DIGIT_RUNS)].some(([run]) => isCardNumber(run.replace(/\D/g, '')));
}

/** Returns a text with what looks like card numbers left out. */
export function withoutCardNumbers(text: string): string {
  return text.normalize('NFKC').replace(DIGIT_RUNS, (run) => (isCardNumber(run.replace(/\D/g, '')) ? '…' : run));
}

/**
 * Checks a token, or the gateway's ID of an object. A card number is neither.
 * @throws BAD_PARAMETER naming the field, without its value
 */
export function assertGatewayId(field: string, id: string): void {
  if (!/^[A-Za-z0-9_-]{1,255}$/.test(id) || isCardNumber(id.replace(/[_-]/g, '')))
    throw bad(field, 'an ID or a token of the gateway, never a card number');
}

/** Checks an idempotency key. @throws BAD_PARAMETER */
export function assertOnce({ key }: Once): void {
  if (!/^[A-Za-z0-9-]{1,200}$/.test(key) || isCardNumber(key.replace(/-/g, '')))
    throw bad('Key', '1 to 200 letters, digits and hyphens, never a card number');
}

/** Checks the details of a customer. @throws BAD_PARAMETER */
export function assertCustomer({ name, email, phone, address }: CustomerDetails): void {
  assertLine('Name', name);
  if (email !== undefined && (!isMailAddress(email) || hasCardNumber(email)))
    throw bad('Email', 'an email address such as anna@example.com');
  if (phone !== undefined && !isTelephone(phone)) throw bad('Telephone', 'a telephone number such as +1 202 555 0123');
  if (address) assertBillingAddress(address);
}

/** Whether a text is a telephone number. Without a country's code, it is none that looks like a card number. */
function isTelephone(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!/^\+?[\d ().-]{3,30}$/.test(text) || digits.length > 15) return false;
  return text.startsWith('+') || digits.length < 13 || !isCardNumber(digits);
}

/** Checks a postal address. @throws BAD_PARAMETER */
export function assertBillingAddress({ line1, line2, city, state, postalCode, country }: BillingAddress): void {
  assertLine('Address', line1);
  assertLine('City', city);
  assertLine('PostalCode', postalCode);
  if (line2 !== undefined) assertLine('Address2', line2);
  if (state !== undefined) assertLine('State', state);
  if (!/^[A-Z]{2}$/.test(country)) throw bad('Country', 'a country code of two letters, such as US');
}

/** Checks a charge or an authorization; returns its amount in minor units. @throws BAD_PARAMETER */
export function assertPayment(request: PaymentRequest): number {
  const { customer, method, description, money } = request;
  assertOnce(request);
  assertDescription(description);
  if (customer !== undefined) assertGatewayId('Customer', customer);
  if ('vaulted' in method) {
    assertGatewayId('Method', method.vaulted);
    if (customer === undefined) throw bad('Customer', 'the customer of the stored card or bank account');
  } else assertGatewayId('Token', method.token);
  return minorUnits(money);
}

/** Checks a subscription; returns its amount in minor units. @throws BAD_PARAMETER */
export function assertSubscription(request: SubscriptionRequest): number {
  assertOnce(request);
  assertDescription(request.description);
  assertGatewayId('Customer', request.customer);
  assertGatewayId('Method', request.method);
  if (!['week', 'month', 'year'].includes(request.every)) throw bad('Every', 'week, month or year');
  return minorUnits(request.money);
}

/** Checks a period of at most a century; returns its limits in milliseconds. @throws BAD_PARAMETER */
export function periodLimits({ from, to }: Period): { readonly from: number; readonly to: number } {
  const limits = { from: Date.parse(from), to: Date.parse(to) };
  if (!Number.isFinite(limits.from)) throw bad('From', 'a date and time, ISO 8601');
  if (!Number.isFinite(limits.to) || limits.to <= limits.from) throw bad('To', 'a date and time after From, ISO 8601');
  return limits;
}

function assertDescription(description: string): void {
  if (
    description.trim() === '' ||
    description.length > DESCRIPTION_LENGTH_MAX ||
    CONTROLS.test(description) ||
    hasCardNumber(description)
  )
    throw bad('Description', `one line of at most ${DESCRIPTION_LENGTH_MAX} characters without a card number`);
}

function assertLine(field: string, text: string): void {
  if (text.trim() === '' || text.length > LINE_LENGTH_MAX || CONTROLS.test(text) || hasCardNumber(text))
    throw bad(field, `one line of at most ${LINE_LENGTH_MAX} characters without a card number`);
}
