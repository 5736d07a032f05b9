-- down: the accounts of mail servers with their history, mails that wait to be sent and what came of the others, registrations that wait to be confirmed, the codes by which users register, and whose the recurring calls of organizations are; the calls themselves stay in the queue
drop table organizationschedule;
drop table organizationlookup;
drop table registration;
drop table maildelivery;
drop table mailoutbound;
delete from history where tablename = 'mailoutbound';
