import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

/** Words of the layout's names that are written in capitals. */
const CAPITALS: ReadonlySet<string> = new Set(['ANSI', 'FICO', 'ISO', 'MI']);

/** Returns what people call a column, from its name in the layout: `Litigation Indicator` is "Litigation". */
function layoutLabel(name: string): string {
  const words = name
    .replace(/ (?:Number Identifier|Identifier|Number ID)$/, ' Number')
    .replace(/ Date time$/, ' Date')
    .replace(/ Type Code$/, ' Type')
    .replace(/ (?:Indicator|Text)$/, '')
    .split(' ')
    .map((word, at) => (at === 0 || CAPITALS.has(word) ? word : word.toLowerCase()));
  return words.join(' ');
}

/** Codes, numbers, words and indicators; longer values fail their row. */
const code = (doc: string, label = layoutLabel(doc)) => f.text({ label, doc, max: 100 });
/** Numbers by which loans and cases are found, as long as those of the records themselves. */
const number = (doc: string) => f.text({ label: layoutLabel(doc), doc, max: 50 });
const title = (doc: string, label = layoutLabel(doc)) => f.text({ label, doc, max: 255 });
const person = (doc: string) => f.personal({ label: layoutLabel(doc), doc, max: 100 });
const details = (doc: string) => f.personal({ label: layoutLabel(doc), doc, max: 10000 });
const instant = (doc: string) => f.timestamp({ label: layoutLabel(doc), doc });
const day = (doc: string, label = layoutLabel(doc)) => f.date({ label, doc });
const amount = (doc: string) => f.money({ label: layoutLabel(doc), doc });

/**
 * The layout of the default-reporting file: its 110 columns by XML element name. Each column's doc is its name in the
 * layout. The order is that of the file and never changes.
 */
export const eventLayout = {
  RecordType: code('Record Type'),
  ProviderCode: number('Provider Code'),
  BusinessEventCode: code('Business Event Code'),
  BusinessEventName: title('Business Event Name'),
  SourceSystemCode: code('Source System Code'),
  ServicerCode: code('Servicer Code'),
  ServicerName: title('Servicer Name'),
  ServicerLoanNumberID: code('Servicer Loan Number Identifier', 'Loan number'),
  EventActualDate: instant('Event Actual Date time'),
  EventCreatedDate: instant('Event Created Date time'),
  EventRecordedDate: instant('Event Recorded Date time'),
  EventProcessID: code('Event Process Identifier'),
  ProcessorID: code('Processor Identifier'),
  ProcessorName: title('Processor Name'),
  DelayTypeCode: code('Delay Type Code'),
  SubservicerCode: code('Subservicer Code'),
  SubservicerName: title('Subservicer Name'),
  InvestorCode: code('Investor Code'),
  InvestorName: title('Investor Name'),
  InvestorLoanNumberID: number('Investor Loan Number Identifier'),
  InvestorServicerID: code('Investor Servicer Identifier'),
  DelayActualStartDate: day('Delay Actual Start Date'),
  DelayProjectedEndDate: day('Delay Projected End Date'),
  DelayEndReasonCode: code('Delay End Reason Type'),
  DelayDetails: details('Delay Details Text'),
  PrimaryBorrowerLastName: person('Primary Borrower Last Name'),
  PrimaryBorrowerFirstName: person('Primary Borrower First Name'),
  SecondaryBorrowerLastName: person('Secondary Borrower Last Name'),
  SecondaryBorrowerFirstName: person('Secondary Borrower First Name'),
  PropertyAddressANSIStateCode: code('Property Address ANSI State Code', 'State (ANSI code)'),
  PropertyCountyANSICode: code('Property Address ANSI County Code', 'County (ANSI code)'),
  PropertyCountryISOCode: code('Property Country ISO Code', 'Country (ISO code)'),
  PropertyPrimaryResidenceIndicator: code('Property Primary Residence Indicator', 'Primary residence'),
  DwellingResidenceType: code('Dwelling Residence Type'),
  OriginalMortgageAmount: amount('Original Mortgage Amount'),
  UnpaidPrincipalBalanceAmount: amount('Unpaid Principal Balance Amount'),
  OldestUnpaidInstallmentDate: day('Oldest Unpaid Installment Date'),
  LoanOriginationClosingDate: day('Loan Origination Closing Date'),
  LitigationIndicator: code('Litigation Indicator'),
  LienPriorityType: code('Lien Priority Type'),
  MortgageType: code('Mortgage Type'),
  MortgageFinanceType: code('Mortgage Finance Type'),
  LoanMilitaryProtectionStatusIndicator: code('Loan Military Protection Status Indicator', 'Military protection'),
  ServicingPortfolioPoolCertID: code('Servicing Portfolio Pool Certificate Identifier', 'Pool certificate number'),
  ServicingPortfolioPoolCertIssueDate: day(
    'Servicing Portfolio Pool Certificate Issue Date',
    'Pool certificate issued',
  ),
  FICOScoreVL: code('FICO Credit Score Value', 'FICO score'),
  GuarantorCode: code('Guarantor Code'),
  GuarantorLoanNumberID: code('Guarantor Loan Number Identifier'),
  MIInsurerCode: code('Mortgage Insurance Insurer Code', 'Mortgage insurer code'),
  MIPayerType: code('MI Payer Type', 'Mortgage insurance payer'),
  InsurerMICertID: code('Insurer Mortgage Insurance Certificate Identifier', 'Mortgage insurance certificate number'),
  InsurerMICertDate: day('Insurer Mortgage Insurance Certificate Date', 'Mortgage insurance certificate date'),
  AssignedFCAttorneyCode: code('Assigned Foreclosure Attorney Code'),
  FCAttorneyFileID: number('Foreclosure Attorney File Identifier'),
  FCMethodType: code('Foreclosure Method Type'),
  PropertyCurrentOccupancyType: code('Property Current Occupancy Type'),
  FCSaleResultType: code('Foreclosure Sale Result Type'),
  FCSaleScheduledDate: day('Foreclosure Sale Scheduled Date'),
  FCSaleRescissionReasonCode: code('Foreclosure Sale Rescinded Reason Type'),
  LegalProcessServiceMethodType: code('Legal Process Service Method Type'),
  FCJudgmentType: code('Foreclosure Judgment Type'),
  PursueDeficiencyIndicator: code('Pursue Deficiency Indicator', 'Deficiency pursued'),
  RestartIndicator: code('Restart Indicator', 'Restarted'),
  FCSaleChangedReasonCode: code('Foreclosure Sale Changed Reason Type'),
  PreSaleBorrowerRightToCureEndDate: day('Presale Borrower Right To Cure End Date'),
  JudgmentAmount: amount('Judgment Amount'),
  InStateServiceIndicator: code('In-state Service Indicator', 'Served in state'),
  FCStatusType: code('Foreclosure Status Type'),
  FCFileClosedReasonType: code('Foreclosure File Closed Reason Type'),
  FCSaleBidAmount: amount('Foreclosure Sale Bid Amount'),
  PropertyInspectionTypeCode: code('Property Inspection Request Type'),
  RedemptionPeriodProjectedEndDate: day('Redemption Period Projected End Date'),
  FinalLawDate: day('Final Law Day Date', 'Final law day'),
  BKStatusIndicator: code('Bankruptcy Status Indicator', 'In bankruptcy'),
  AssignedBKAttorneyCode: code('Assigned Bankruptcy Attorney Code'),
  BKBorrowerIntentToSurrenderPropertyIndicator: code(
    'Bankruptcy Borrower Intent To Surrender Property Indicator',
    'Borrower intends to surrender the property',
  ),
  BKCaseNumberID: number('Bankruptcy Case Number ID'),
  BKChapterTypeCode: code('Bankruptcy Chapter Type'),
  BKDistrictCode: code('Bankruptcy District Code'),
  BKDistrictName: title('Bankruptcy District Name'),
  BKFilerType: code('Bankruptcy Filer Type'),
  BKFilingDate: day('Bankruptcy Filing Date'),
  BKFilingLastPaidInstallmentDate: day('Bankruptcy Filing Last Paid Installment Date'),
  BKFilingANSIStateCode: code('Bankruptcy Filing ANSI State Code', 'Bankruptcy filing state (ANSI code)'),
  BKPostPetitionPlanDate: day('Bankruptcy Post Petition Plan Date'),
  BKReferralType: code('Bankruptcy Referral Type'),
  BKPlanAmendedType: code('Bankruptcy Plan Amended Type'),
  BKPOCBarDate: day('Bankruptcy Proof of Claim Bar Date'),
  BKPostPetitionPaymentAmount: amount('Bankruptcy Post Petition Payment Amount'),
  BKPostPetitionPaymentDueDate: day('Bankruptcy Post Petition Payment Due Date'),
  PropertyValuationMethodType: code('Property Valuation Method Type'),
  PropertyValuationAmount: amount('Property Valuation Amount'),
  PropertyValuationDate: day('Property Valuation Date'),
  PaymentChangeNoticeReasonType: code('Bankruptcy Payment Change Notification Reason Type'),
  MFRRequestedReasonType: code('Motion For Relief Requested Reason Type'),
  FilingDispositionType: code('Legal Filing Disposition Type'),
  TrusteePayAllIndicator: code('Trustee Pay All Indicator', 'Trustee pays all'),
  CramDownIndicator: code('Cramdown Indicator', 'Cramdown'),
  CramDownAmount: amount('Cramdown Amount'),
  PropertyValueAsAssetIndicator: code('Property Value As Asset Indicator', 'Property listed as an asset'),
  PropertySalePriceAmount: amount('Property Sale Price Amount'),
  LoanDelinquencyEventType: code('Loan Delinquency Event Type'),
  ServicingTransferorCode: code('Servicing Transferor Code'),
  ServicingTransferorName: title('Servicing Transferor Name'),
  ServicingTransfereeCode: code('Servicing Transferee Code'),
  ServicingTransfereeName: title('Servicing Transferee Name'),
  PropertyCountyANSIName: title('Property Address ANSI County Name', 'County'),
  AssignedFCAttorneyName: title('Assigned Foreclosure Attorney Name'),
  AssignedBKAttorneyName: title('Assigned Bankruptcy Attorney Name'),
  DocumentTypeCode: code('Default Document Type'),
} as const;

export const event = defineRecord({
  name: 'Event',
  doc: "A business event from a firm's events file, as reported.",
  reach: 'one',
  history: false,
  // Webhooks have a column Events; a collection of every record needs another name.
  parent: 'DefaultEvents',
  labelDoc: "The event's name, or its code if it has none.",
  fields: {
    ...eventLayout,
    ImportFileID: computed(f.id({ label: 'Import', doc: 'The file that reported it.', to: 'ImportFile' })),
    SourceLine: computed(
      f.integer({
        doc: 'Its position in the file: the line of a text file, the row of a sheet or the number of an element.',
      }),
    ),
    OrganizationID: computed(
      f.id({ label: 'Firm', doc: 'The firm that reported it.', to: 'Organization', grantsReach: true }),
    ),
    LoanID: computed(f.id({ doc: 'The loan.', to: 'Loan' })),
    ImportFormID: computed(
      f.id({ label: 'Task', doc: 'The task that the event completed or projected.', to: 'ImportForm' }),
    ),
    DecisionDelayID: computed(f.id({ label: 'Hold', doc: 'The delay that the event reported.', to: 'DecisionDelay' })),
  },
});
