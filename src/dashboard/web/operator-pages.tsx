import { Route, Switch } from 'wouter';
import { NotFound } from './not-found.tsx';
import AccountsPage from './operator/accounts-page.tsx';
import AuditPage from './operator/audit-page.tsx';
import BansPage from './operator/bans-page.tsx';
import OneAccountPage from './operator/one-account-page.tsx';
import OperatorOrdersPage from './operator/orders-page.tsx';
import OverviewPage from './operator/overview-page.tsx';
import OperatorUsagePage from './operator/usage-page.tsx';

/** The pages of operators, which are loaded together. */
export default function OperatorPages() {
  return (
    <Switch>
      <Route path="/operator" component={AccountsPage} />
      <Route path="/operator/overview" component={OverviewPage} />
      <Route path="/operator/accounts/:id">{({ id }) => <OneAccountPage key={id} id={id} />}</Route>
      <Route path="/operator/bans" component={BansPage} />
      <Route path="/operator/orders" component={OperatorOrdersPage} />
      <Route path="/operator/audit" component={AuditPage} />
      <Route path="/operator/accounts/:id/usage">
        {({ id }) => <OperatorUsagePage accountId={id} />}
      </Route>
      <Route component={NotFound} />
    </Switch>
  );
}
