-- down: that firms' users see read marks, and the indexes of inboxes
drop index messagerecipient_address_idx;
drop index message_sender_idx;
drop policy reach on messageread;
revoke select on messageread from casewright_reach;
